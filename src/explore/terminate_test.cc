#include "explore/terminate.h"

#include <gtest/gtest.h>

namespace jostle::explore {
namespace {

const std::string kCalled = "std::terminate() was called";
const std::string kHandling =
    "std::terminate() was called while handling an exception of type std::runtime_error: no";

TEST(Terminate, TheFramesTellWhy) {
  EXPECT_EQ(terminate_message(kCalled, {}), kCalled);
  EXPECT_EQ(terminate_message(kCalled, {{"body()", "a.cc", 3}}), kCalled);
  EXPECT_EQ(terminate_message(
                kCalled, {{"std::thread::~thread()", "std_thread.h", 9}, {"body()", "a.cc", 3}}),
            "std::thread destroyed while joinable: " + kCalled);
  EXPECT_EQ(terminate_message(kCalled, {{"std::thread::operator=(std::thread&&)", "", 0}}),
            "std::thread assigned to while joinable: " + kCalled);
}

TEST(Terminate, ClangsWayOutOfNoexcept) {
  EXPECT_EQ(terminate_message(kHandling, {{"__clang_call_terminate", "", 0}}),
            "uncaught exception of type std::runtime_error: no");
  EXPECT_EQ(terminate_message(kHandling, {{"handler()", "a.cc", 3}}), kHandling);
}

TEST(Terminate, OtherMessagesStay) {
  const std::string other = "uncaught exception of type int";
  EXPECT_EQ(terminate_message(other, {{"std::thread::~thread()", "", 0}}), other);
}

}  // namespace
}  // namespace jostle::explore

#include "report/symbols.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>

#include "report/frames.h"

// Outside namespace jostle: code in it does not count as the user's.
namespace symbols_test_user {
namespace {

int table[4];

__attribute__((noinline)) std::uint64_t here() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

struct Account {
  __attribute__((noinline)) std::uint64_t withdraw(int) {
    const std::uint64_t pc = here();
    asm volatile("" ::: "memory");  // keep the call from becoming a jump
    return pc;
  }
};
constexpr std::uint32_t kLineOfCall = __LINE__ - 5;

__attribute__((always_inline)) inline std::uint64_t inlined() {
  const std::uint64_t pc = here();
  asm volatile("" ::: "memory");
  return pc;
}

__attribute__((noinline)) std::uint64_t outer() {
  const std::uint64_t pc = inlined();
  asm volatile("" ::: "memory");
  return pc;
}

}  // namespace
int exported_balance = 1;
}  // namespace symbols_test_user

namespace jostle::report {
namespace {

using namespace symbols_test_user;  // NOLINT

TEST(Symbols, FunctionFileAndLine) {
  Symbols s;
  const auto frames = s.frames(Account().withdraw(1));
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(short_function(frames[0].function), "symbols_test_user::Account::withdraw");
  EXPECT_EQ(base_name(frames[0].file), "symbols_test.cc");
  EXPECT_EQ(frames[0].line, kLineOfCall);
  EXPECT_TRUE(is_user_frame(frames[0]));
}

TEST(Symbols, InlinedFramesComeInnermostFirst) {
  Symbols s;
  const auto frames = s.frames(outer());
  ASSERT_EQ(frames.size(), 2u);
  // gcc does not tell the scope of an inlined function in an anonymous namespace.
  EXPECT_TRUE(short_function(frames[0].function).ends_with("inlined")) << frames[0].function;
  EXPECT_EQ(short_function(frames[1].function), "symbols_test_user::outer");
}

TEST(Symbols, SharedLibrary) {
  Symbols s;
  const auto frames = s.frames(reinterpret_cast<std::uint64_t>(&std::getenv) + 1);
  ASSERT_FALSE(frames.empty());
  EXPECT_NE(frames[0].function.find("getenv"), std::string::npos);
}

TEST(Symbols, Variables) {
  Symbols s;
  std::uint64_t offset = 7;
  EXPECT_EQ(s.data_symbol(reinterpret_cast<Address>(&exported_balance), offset),
            "symbols_test_user::exported_balance");
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(s.data_symbol(reinterpret_cast<Address>(&table[2]), offset),
            "symbols_test_user::(anonymous namespace)::table");
  EXPECT_EQ(offset, 8u);
}

TEST(Symbols, UnknownAddressesHaveNoNames) {
  Symbols s;
  std::uint64_t offset = 7;
  int local = 0;
  for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0},
                                reinterpret_cast<std::uint64_t>(&local)}) {
    EXPECT_TRUE(s.frames(a).empty()) << a;
    EXPECT_EQ(s.data_symbol(a, offset), "") << a;
    EXPECT_EQ(offset, 0u);
  }
}

TEST(Symbols, Demangle) {
  EXPECT_EQ(demangle("_ZN7Account8withdrawEi"), "Account::withdraw(int)");
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("i"), "i");
  EXPECT_EQ(demangle("_Zgarbage"), "_Zgarbage");
  EXPECT_EQ(demangle(""), "");
}

}  // namespace
}  // namespace jostle::report

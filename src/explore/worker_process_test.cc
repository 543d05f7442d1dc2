#include "explore/worker_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jostle::explore {
namespace {

// The process that told it would have died of SIGPIPE.
TEST(WorkerProcess, OneThatHasDiedIsToldNothing) {
  WorkerProcess w;
  w.start([](int down, int up) {
    char c;
    if (read(down, &c, 1) == 1 && write(up, &c, 1) == 1) return;
  });
  ASSERT_TRUE(w.alive());
  EXPECT_TRUE(w.tell());
  EXPECT_TRUE(w.answer());
  siginfo_t ended = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(w.pid), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(w.answer());
  EXPECT_FALSE(w.tell());
  w.end();
  EXPECT_FALSE(w.alive());
  EXPECT_FALSE(w.tell());
}

}  // namespace
}  // namespace jostle::explore

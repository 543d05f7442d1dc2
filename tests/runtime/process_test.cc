// Bodies that start processes or end their own.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

extern char** environ;

namespace {

int wait_for(pid_t p) {
  int status = 0;
  JOSTLE_ASSERT(waitpid(p, &status, 0) == p);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Process, EndsAsWithoutJostle) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(7); });
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
}

TEST(Process, ForkInTheBody) {
  const auto r = jostle::run(
      [] {
        const pid_t p = fork();
        if (p == 0) _exit(7);
        JOSTLE_ASSERT(p > 0);
        JOSTLE_ASSERT(wait_for(p) == 7);
      },
      quick(20));
  EXPECT_PASSES(r);
}

TEST(Process, ForkInAThread) {
  const auto r = jostle::run(
      [] {
        int code = 0;
        std::thread t([&] {
          jostle_point();
          const pid_t p = fork();
          if (p == 0) _exit(9);
          jostle_point();
          code = wait_for(p);
        });
        std::thread u([] { jostle_point(); });
        t.join();
        u.join();
        JOSTLE_ASSERT(code == 9);
      },
      quick(20));
  EXPECT_PASSES(r);
}

// The child runs without control; what it does must not end up as a finding of ours, and it must
// not go on with the search as a second copy of us.
TEST(Process, ChildThatFails) {
  const auto r = jostle::run(
      [] {
        std::fflush(nullptr);
        const pid_t p = fork();
        if (p == 0) {
          std::fclose(stderr);
          std::abort();
        }
        JOSTLE_ASSERT(wait_for(p) == 1000 + SIGABRT);
      },
      quick(10));
  EXPECT_PASSES(r);
}

TEST(Process, ChildThatUsesThreads) {
  const auto r = jostle::run(
      [] {
        const pid_t p = fork();
        if (p == 0) {
          int n = 0;
          std::thread t([&] { n = 3; });
          t.join();
          _exit(n);
        }
        JOSTLE_ASSERT(wait_for(p) == 3);
      },
      quick(10));
  EXPECT_PASSES(r);
}

// A child that forgets _exit() comes to the end of the body. It is not to search there, nor to
// return to this test; what it has printed is not lost.
void child_comes_to_the_end(void (*in_child)(), int status, bool in_thread = false) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t here = getpid();
  std::FILE* out = fdopen(ends[1], "w");
  const auto r = jostle::run(
      [&] {
        auto work = [&] {
          const pid_t p = fork();
          if (p == 0) {
            std::fputc('c', out);
            return in_child();
          }
          JOSTLE_ASSERT(wait_for(p) == status);
        };
        if (in_thread)
          std::thread(work).join();
        else
          work();
      },
      quick(4));
  if (getpid() != here) _exit(99);
  EXPECT_PASSES(r);
  EXPECT_EQ(r.executions, 4u);
  std::fclose(out);
  char printed[16];
  const ssize_t n = read(ends[0], printed, sizeof printed);
  // A child that crashes writes nothing.
  EXPECT_EQ(n, status < 1000 ? 4 : 0);
  close(ends[0]);
}

TEST(Process, ChildThatReturnsFromTheBody) {
  child_comes_to_the_end([] {}, 0);
}
TEST(Process, ChildThatReturnsFromAThread) {
  child_comes_to_the_end([] {}, 0, true);
}
TEST(Process, ChildThatThrows) {
  child_comes_to_the_end([] { throw 1; }, 1000 + SIGABRT);
}
TEST(Process, ChildThatThrowsInAThread) {
  child_comes_to_the_end([] { throw 1; }, 1000 + SIGABRT, true);
}
TEST(Process, ChildWithAFailedCheck) {
  child_comes_to_the_end([] { ADD_FAILURE() << "in the child"; }, 1);
}

TEST(Process, ForkIsNamedAsUncontrolled) {
  const auto r = jostle::run(
      [] {
        const pid_t p = fork();
        if (p == 0) _exit(0);
        wait_for(p);
      },
      quick(5));
  ASSERT_EQ(r.uncontrolled.size(), 1u) << r.report;
  EXPECT_NE(r.uncontrolled[0].find("fork"), std::string::npos);
}

TEST(Process, SpawnAndSystem) {
  const auto r = jostle::run(
      [] {
        char name[] = "/bin/true";
        char* argv[] = {name, nullptr};
        pid_t p = 0;
        JOSTLE_ASSERT(posix_spawn(&p, "/bin/true", nullptr, nullptr, argv, environ) == 0);
        JOSTLE_ASSERT(wait_for(p) == 0);
        const int status = std::system("exit 3");
        JOSTLE_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
      },
      quick(5));
  EXPECT_PASSES(r);
}

TEST(Process, PopenReadsTheOutput) {
  const auto r = jostle::run(
      [] {
        std::FILE* f = popen("echo hello", "r");
        JOSTLE_ASSERT(f != nullptr);
        char text[16] = {};
        JOSTLE_ASSERT(std::fgets(text, sizeof text, f) != nullptr);
        JOSTLE_ASSERT(std::string(text) == "hello\n");
        JOSTLE_ASSERT(pclose(f) == 0);
      },
      quick(5));
  EXPECT_PASSES(r);
}

// --- the end of the body's own process -------------------------------------------------------

TEST(Exit, IsAFinding) {
  const auto r = jostle::run([] { std::exit(3); }, quick(10));
  EXPECT_FINDS(r, "exit-code");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("3"), std::string::npos);
}

TEST(Exit, ZeroIsOneToo) {
  const auto r = jostle::run(
      [] {
        std::thread t([] { std::exit(0); });
        t.join();
      },
      quick(10));
  EXPECT_FINDS(r, "exit-code");
}

TEST(Exit, EveryWay) {
  EXPECT_FINDS(jostle::run([] { _exit(1); }, quick(5)), "exit-code");
  EXPECT_FINDS(jostle::run([] { std::_Exit(2); }, quick(5)), "exit-code");
  EXPECT_FINDS(jostle::run([] { std::quick_exit(4); }, quick(5)), "exit-code");
}

TEST(Abort, IsAFinding) {
  const auto r = jostle::run(
      [] {
        std::thread t([] { std::abort(); });
        t.join();
      },
      quick(10));
  EXPECT_FINDS(r, "assertion");
}

TEST(Abort, TerminateIsAFinding) {
  const auto r = jostle::run([] { std::terminate(); }, quick(10));
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

TEST(Abort, WithAnOwnTerminateHandler) {
  const auto before = std::get_terminate();
  std::set_terminate([] {
    std::fputs("", stdout);
    std::abort();
  });
  const auto r = jostle::run([] { throw 1; }, quick(10));
  std::set_terminate(before);
  EXPECT_FINDS(r, "exception");
}

// The same with each execution in a process of its own.
TEST(Exit, WithForkIsolation) {
  auto o = quick(10);
  o.isolation = jostle::Options::Isolation::fork;
  EXPECT_FINDS(jostle::run([] { std::exit(3); }, o), "exit-code");
  EXPECT_FINDS(jostle::run([] { std::abort(); }, o), "assertion");
  EXPECT_FINDS(jostle::run([] { raise(SIGKILL); }, o), "crash");
}

TEST(Exit, WithWorkers) {
  auto o = quick(64);
  o.jobs = 2;
  EXPECT_FINDS(jostle::run([] { std::exit(3); }, o), "exit-code");
  EXPECT_FINDS(jostle::run([] { raise(SIGKILL); }, o), "crash");
}

}  // namespace

// Programs with signal handlers of their own.
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

volatile std::sig_atomic_t g_signals;

// Puts back what was there before.
class Handler {
 public:
  Handler(int number, void (*handler)(int), int flags = 0) : number_(number) {
    struct sigaction sa = {};
    sa.sa_handler = handler;
    sa.sa_flags = flags;
    sigaction(number, &sa, &before_);
  }
  ~Handler() { sigaction(number_, &before_, nullptr); }

 private:
  int number_;
  struct sigaction before_;
};

TEST(Signals, RaisedInTheBody) {
  const auto r = jostle::run(
      [] {
        g_signals = 0;
        Handler h(SIGUSR1, [](int) { g_signals = g_signals + 1; });
        raise(SIGUSR1);
        JOSTLE_ASSERT(g_signals == 1);
        kill(getpid(), SIGUSR1);
        JOSTLE_ASSERT(g_signals == 2);
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Signals, RaisedInAThread) {
  const auto r = jostle::run(
      [] {
        g_signals = 0;
        Handler h(SIGUSR1, [](int) { g_signals = g_signals + 1; });
        std::thread t([] {
          jostle_point();
          raise(SIGUSR1);
          jostle_point();
        });
        t.join();
        JOSTLE_ASSERT(g_signals == 1);
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Signals, HandlerInstalledBeforeTheRun) {
  Handler h(SIGUSR1, [](int) { g_signals = g_signals + 1; });
  const auto r = jostle::run(
      [] {
        g_signals = 0;
        std::thread t([] { raise(SIGUSR1); });
        t.join();
        JOSTLE_ASSERT(g_signals == 1);
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Signals, BlockedAndPending) {
  const auto r = jostle::run(
      [] {
        g_signals = 0;
        Handler h(SIGUSR1, [](int) { g_signals = g_signals + 1; });
        sigset_t set, old;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, &old);
        raise(SIGUSR1);
        JOSTLE_ASSERT(g_signals == 0);
        pthread_sigmask(SIG_SETMASK, &old, nullptr);
        JOSTLE_ASSERT(g_signals == 1);
      },
      quick());
  EXPECT_PASSES(r);
}

sigjmp_buf g_back;

TEST(Signals, OwnHandlerForSegmentationFaults) {
  const auto r = jostle::run(
      [] {
        g_signals = 0;
        Handler h(SIGSEGV, [](int) {
          g_signals = g_signals + 1;
          siglongjmp(g_back, 1);
        });
        if (sigsetjmp(g_back, 1) == 0) {
          volatile int* nowhere = nullptr;
          *nowhere = 1;
          JOSTLE_ASSERT(false);
        }
        JOSTLE_ASSERT(g_signals == 1);
      },
      quick());
  EXPECT_PASSES(r);
}

void crash() {
  std::thread t([] {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  });
  t.join();
}

// Whatever a body did to the handlers, the next run finds crashes again.
TEST(Signals, CrashesAreFoundAfterABodyThatChangedTheHandler) {
  const auto first = jostle::run([] { signal(SIGSEGV, SIG_DFL); }, quick(10));
  EXPECT_PASSES(first);
  const auto second = jostle::run(&crash, quick(10));
  EXPECT_FINDS(second, "crash");
}

// The handlers of the program are there again when the run is over.
TEST(Signals, HandlersArePutBackAfterTheRun) {
  Handler h(SIGSEGV, [](int) { siglongjmp(g_back, 2); });
  const auto r = jostle::run(&crash, quick(10));
  EXPECT_FINDS(r, "crash");
  struct sigaction now;
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_FALSE(now.sa_flags & SA_SIGINFO) << "Jostle's handler is still installed";
}

TEST(Signals, KindsOfCrashes) {
  const auto segv = jostle::run(
      [] {
        volatile int* nowhere = nullptr;
        *nowhere = 1;
      },
      quick(10));
  EXPECT_FINDS(segv, "crash");
  ASSERT_EQ(segv.findings.size(), 1u);
  EXPECT_NE(segv.findings[0].message.find("null pointer"), std::string::npos) << segv.report;
  const auto fpe = jostle::run(
      [] {
        volatile int ten = 10, zero = 0;
        ten = ten / zero;
      },
      quick(10));
  EXPECT_FINDS(fpe, "crash");
  ASSERT_EQ(fpe.findings.size(), 1u);
  EXPECT_NE(fpe.findings[0].message.find("SIGFPE"), std::string::npos) << fpe.report;
  const auto trap = jostle::run([] { __builtin_trap(); }, quick(10));
  EXPECT_FINDS(trap, "crash");
  const auto raised = jostle::run([] { raise(SIGSEGV); }, quick(10));
  EXPECT_FINDS(raised, "crash");
}

}  // namespace

// Whether reports call variables what the source calls them.
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

struct Account {
  std::mutex lock;
  int history[4] = {};
  int balance = 0;
};

// The report of the first finding.
template <class Body>
std::string report_of(Body body) {
  const auto r = jostle::run(body, quick(50));
  return r.findings.empty() ? "nothing found" : r.findings[0].report;
}

#define EXPECT_SAYS(report, text) EXPECT_NE((report).find(text), std::string::npos) << (report)

TEST(Names, LocalOfTheBody) {
  const std::string report = report_of([] {
    int balance = 0;
    std::thread a([&] { ++balance; });
    ++balance;
    a.join();
  });
  EXPECT_SAYS(report, "two unordered accesses to `balance`");
}

TEST(Names, MembersAndElements) {
  const std::string report = report_of([] {
    Account account;
    std::thread a([&] { ++account.history[2]; });
    ++account.history[2];
    a.join();
  });
  EXPECT_SAYS(report, "two unordered accesses to `account.history[2]`");
}

TEST(Names, LocalOfTheCallerOfRun) {
  Account account;
  const std::string report = report_of([&] {
    std::thread a([&] { ++account.balance; });
    ++account.balance;
    a.join();
  });
  EXPECT_SAYS(report, "two unordered accesses to `account.balance`");
}

TEST(Names, LocalOfAThread) {
  const std::string report = report_of([] {
    std::thread a([] {
      int inner = 0;
      std::thread b([&] { ++inner; });
      ++inner;
      b.join();
    });
    a.join();
  });
  EXPECT_SAYS(report, "two unordered accesses to `inner`");
}

TEST(Names, MutexesOfADeadlock) {
  const std::string report = report_of([] {
    std::mutex first, second;
    std::thread a([&] {
      std::lock_guard x(first);
      std::lock_guard y(second);
    });
    {
      std::lock_guard x(second);
      std::lock_guard y(first);
    }
    a.join();
  });
  EXPECT_SAYS(report, "T1 waits for second");
  EXPECT_SAYS(report, "T0 (main) waits for first");
}

TEST(Names, AtomicIsOneThing) {
  const std::string report = report_of([] {
    std::atomic<int> counter{0};
    std::thread a([&] { counter = counter + 1; });
    counter = counter + 1;
    a.join();
    JOSTLE_ASSERT(counter == 2);
  });
  EXPECT_SAYS(report, "atomic load counter →");
}

// The address of a variable whose function has returned.
[[gnu::noinline]] int* dangling() {
  int gone = 0;
  int* p = &gone;
  asm volatile("" : "+r"(p) : : "memory");
  return p;
}

TEST(Names, NotOfACallThatHasReturned) {
  const std::string report = report_of([] {
    // Away from what the calls below leave on the stack.
    char* room = static_cast<char*>(__builtin_alloca(4096));
    asm volatile("" ::"r"(room) : "memory");
    int* p = dangling();
    std::thread a([p] { ++*p; });
    ++*p;
    a.join();
  });
  EXPECT_EQ(report.find("`gone`"), std::string::npos) << report;
}

// Not what it comes to: that nobody is woken.
TEST(Names, DestroyingIsCalledThat) {
  const std::string report = report_of([] {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    std::atomic<bool> waits{false};
    std::thread waiter([&] {
      pthread_mutex_lock(&mutex);
      waits = true;
      pthread_cond_wait(&condition, &mutex);
      pthread_mutex_unlock(&mutex);
    });
    while (!waits) std::this_thread::yield();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&condition);
    waiter.join();
  });
  EXPECT_SAYS(report, "destroy condition");
  EXPECT_EQ(report.find("nobody waits"), std::string::npos) << report;
}

}  // namespace

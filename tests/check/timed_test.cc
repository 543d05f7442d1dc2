// Waits with a limit: whatever the reduction leaves out is like something that it executes.
#include <gtest/gtest.h>
#include <semaphore.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "jostle/jostle.hpp"

namespace {

using namespace std::chrono_literals;
using Reduction = jostle::Options::Reduction;

// By what the body returns.
struct Search {
  jostle::Result result;
  std::set<int> outcomes;
};

Search search(int (*body)(), Reduction reduction, const char* priority = "") {
  jostle::Options o;
  o.quiet = o.keep_going = true;
  o.minimize = false;
  o.output = testing::TempDir() + "/jostle-timed";
  o.reduction = reduction;
  o.priority = priority;
  Search s;
  auto* outcomes = &s.outcomes;
  s.result = jostle::check([=] { outcomes->insert(body()); }, o);
  EXPECT_TRUE(s.result.ok()) << s.result.report;
  EXPECT_TRUE(s.result.complete) << s.result.incomplete;
  return s;
}

void expect_all_classes(int (*body)(), std::uint64_t known = 0) {
  const Search all = search(body, Reduction::none);
  if (known) EXPECT_EQ(all.result.classes, known);
  for (const char* priority : {"", "rand", "pb"}) {
    const Search s = search(body, Reduction::optimal, priority);
    EXPECT_EQ(s.result.executions, all.result.classes) << priority;
    EXPECT_EQ(s.result.blocked, 0u) << priority;
    EXPECT_EQ(s.outcomes, all.outcomes) << priority;
  }
}

timespec deadline() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += 1'000'000;
  if (t.tv_nsec >= 1'000'000'000) {
    ++t.tv_sec;
    t.tv_nsec -= 1'000'000'000;
  }
  return t;
}

// It did not wait; or was woken; or its time ran out before the other had the mutex, or after.
TEST(Timed, ConditionVariable) {
  expect_all_classes(
      [] {
        std::mutex m;
        std::condition_variable c;
        bool ready = false;
        std::thread t([&] {
          std::lock_guard guard(m);
          ready = true;
          c.notify_one();
        });
        int outcome = 0;
        {
          std::unique_lock lock(m);
          if (!ready)
            outcome = 1 + (c.wait_for(lock, 1ms) == std::cv_status::timeout ? 2 : 0) + ready;
        }
        t.join();
        return outcome;
      },
      4);
}

TEST(Timed, TwoWaiters) {
  expect_all_classes([] {
    std::mutex m;
    std::condition_variable c;
    int late[2] = {0, 0};
    const auto wait = [&](int i) {
      std::unique_lock lock(m);
      late[i] = c.wait_for(lock, 1ms) == std::cv_status::timeout;
    };
    std::thread a(wait, 0), b(wait, 1);
    c.notify_one();
    a.join();
    b.join();
    return late[0] + 2 * late[1];
  });
}

TEST(Timed, Mutex) {
  expect_all_classes([] {
    std::timed_mutex m;
    int got = 0;
    std::thread t([&] {
      for (int i = 0; i < 2; ++i) std::lock_guard guard(m);
    });
    if (m.try_lock_for(1ms)) {
      got = 1;
      m.unlock();
    }
    t.join();
    return got;
  });
}

TEST(Timed, ReaderWriterLock) {
  expect_all_classes([] {
    std::shared_timed_mutex m;
    int got = 0;
    std::thread t([&] { std::lock_guard guard(m); });
    if (m.try_lock_shared_for(1ms)) {
      got = 1;
      m.unlock_shared();
    }
    t.join();
    return got;
  });
}

TEST(Timed, Semaphore) {
  expect_all_classes([] {
    sem_t s;
    sem_init(&s, 0, 0);
    std::thread t([&] { sem_post(&s); });
    const timespec until = deadline();
    const int got = sem_timedwait(&s, &until) == 0;
    t.join();
    sem_destroy(&s);
    return got;
  });
}

// Two deadlines: the earlier one comes first.
TEST(Timed, TwoDeadlines) {
  expect_all_classes([] {
    std::timed_mutex m;
    std::condition_variable_any c;
    int late = 0, got = 0;
    std::thread t([&] {
      std::unique_lock lock(m);
      late = c.wait_for(lock, 2ms) == std::cv_status::timeout;
    });
    if (m.try_lock_for(1ms)) {
      got = 1;
      c.notify_one();
      m.unlock();
    }
    t.join();
    return late + 2 * got;
  });
}

}  // namespace

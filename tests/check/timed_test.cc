// Waits with a limit.
#include <gtest/gtest.h>
#include <semaphore.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/check/all_classes.h"

namespace {

using namespace std::chrono_literals;
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

// The thread that waits with a limit may not even have started when the other one lets go.
TEST(Timed, MutexInAnotherThread) {
  expect_all_classes(
      [] {
        std::timed_mutex m;
        int got = 0;
        m.lock();
        std::thread t([&] {
          if (!m.try_lock_for(1ms)) return;
          got = 1;
          m.unlock();
        });
        m.unlock();
        t.join();
        return got;
      },
      2);
}

TEST(Timed, WriterInAnotherThread) {
  expect_all_classes(
      [] {
        std::shared_timed_mutex m;
        int written = 0, got = 0;
        std::thread t([&] {
          if (!m.try_lock_for(1ms)) return;
          written = got = 1;
          m.unlock();
        });
        m.lock_shared();
        const int seen = written;
        m.unlock_shared();
        t.join();
        return seen + 2 * got;
      },
      3);
}

TEST(Timed, TwoThreads) {
  expect_all_classes(
      [] {
        std::timed_mutex m;
        int got = 0;
        const auto take = [&] {
          if (!m.try_lock_for(1ms)) return;
          ++got;
          m.unlock();
        };
        std::thread t(take);
        take();
        t.join();
        return got;
      },
      4);
}

// One early timeout for each execution: of two threads that wait, one runs out of time.
TEST(Timed, BoundOfTimeouts) {
  expect_all_classes([] {
    std::timed_mutex m;
    int got[2] = {0, 0};
    m.lock();
    const auto take = [&](int i) {
      if (!m.try_lock_for(1ms)) return;
      got[i] = 1;
      m.unlock();
    };
    std::thread a(take, 0), b(take, 1);
    m.unlock();
    a.join();
    b.join();
    return got[0] + 2 * got[1];
  });
}

}  // namespace

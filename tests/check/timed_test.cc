// Waits with a limit.
#include <gtest/gtest.h>
#include <pthread.h>
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
timespec after(int ms) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += ms * 1'000'000L;
  t.tv_sec += t.tv_nsec / 1'000'000'000;
  t.tv_nsec %= 1'000'000'000;
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
    const timespec until = after(1);
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

struct Condition {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

  // The clock is read before the wait begins: time may run out for somebody else in between.
  int wait(int ms) {
    pthread_mutex_lock(&mutex);
    const timespec until = after(ms);
    const int r = pthread_cond_timedwait(&changed, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return r != 0;
  }
};

// The one with the shorter limit goes first, unless time ran out for the other before it came to
// wait.
TEST(Timed, ShorterLimitOfTheOther) {
  expect_all_classes(
      [] {
        Condition c;
        int late = 0;
        std::thread t([&] { late = c.wait(1); });
        const int mine = c.wait(3);
        t.join();
        return late + 2 * mine;
      },
      9);
}

// It was woken in the end. Time could have run out before the other set a shorter limit.
TEST(Timed, WokenAfterAnotherLimit) {
  expect_all_classes(
      [] {
        Condition c;
        std::thread t([&] {
          c.wait(1);
          pthread_cond_signal(&c.changed);
        });
        const int late = c.wait(3);
        t.join();
        return late;
      },
      10);
}

// The last thing that a thread does is not what it waits for.
TEST(Timed, SemaphoreAtTheEnd) {
  expect_all_classes(
      [] {
        sem_t s;
        sem_init(&s, 0, 1);
        int got[2];
        const auto take = [&](int i) {
          const timespec until = after(1);
          got[i] = sem_timedwait(&s, &until) == 0;
        };
        std::thread a(take, 0), b(take, 1);
        a.join();
        b.join();
        return got[0] + 2 * got[1];
      },
      4);
}

// That time ran out once says nothing about the next attempt.
TEST(Timed, AttemptAfterATimeout) {
  expect_all_classes([] {
    sem_t s;
    sem_init(&s, 0, 0);
    pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
    int seen = 0;
    std::thread t([&] {
      if (pthread_rwlock_trywrlock(&r) != 0) return;
      seen |= 1;
      pthread_rwlock_unlock(&r);
    });
    const timespec until = after(1);
    sem_timedwait(&s, &until);
    if (pthread_rwlock_tryrdlock(&r) == 0) {
      seen |= 2;
      pthread_rwlock_unlock(&r);
    }
    t.join();
    return seen;
  });
}

// A thread waits in vain for what it holds itself.
TEST(Timed, OwnMutex) {
  expect_all_classes(
      [] {
        std::timed_mutex a, b;
        std::thread t([&] {
          if (b.try_lock_for(1ms)) b.unlock();
        });
        std::lock_guard guard(a);
        const int got = a.try_lock_for(1ms);
        t.join();
        return got;
      },
      3);
}

// Time runs out because there is nothing left to take, whatever was there at the last attempt.
TEST(Timed, SemaphoreThatWasTaken) {
  expect_all_classes(
      [] {
        sem_t s;
        sem_init(&s, 0, 1);
        int got = 0;
        std::thread a([&] {
          const timespec until = after(1);
          sem_timedwait(&s, &until);
        });
        std::thread b([&] {
          got = sem_trywait(&s) == 0;
          const timespec until = after(1);
          sem_timedwait(&s, &until);
        });
        a.join();
        b.join();
        return got;
      },
      4);
}

}  // namespace

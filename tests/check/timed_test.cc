// Waits with a limit.
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

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

  int wait(int ms) {
    pthread_mutex_lock(&mutex);
    const timespec until = after(ms);
    const int r = pthread_cond_timedwait(&changed, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return r != 0;
  }
};

// Either may be the one that is early; the other one runs out of time when nothing else is left.
// The waits come before, between or after the two halves of the other thread's.
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
      6);
}

// It was woken in the end. Time could have run out early instead.
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
      7);
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
      2);
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
      1);
}

// Time runs out because there is nothing left to take, whatever was there at the last attempt. Of
// two that wait in vain either may be late first.
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
      3);
}

// A limit that was over before the thread came to wait still lets it take what is there.
TEST(Timed, LimitsInARow) {
  expect_all_classes([] {
    sem_t s;
    sem_init(&s, 0, 1);
    int got[3];
    const auto take = [&](int i) {
      const timespec until = after(1);
      got[i] = sem_timedwait(&s, &until) == 0;
    };
    std::thread t([&] { take(0); });
    take(1);
    take(2);
    t.join();
    return got[0] + 2 * got[1] + 4 * got[2];
  });
}

// Whoever reads a clock does not make others late.
TEST(Timed, ClocksAreReadInAnyOrder) {
  expect_all_classes(
      [] {
        std::chrono::steady_clock::time_point read[2];
        const auto look = [&](int i) { read[i] = std::chrono::steady_clock::now(); };
        std::thread a(look, 0), b(look, 1);
        a.join();
        b.join();
        return static_cast<int>(read[0] != read[1]);
      },
      1);
}

// What a thread has read is never later than what another one reads that knows of it.
TEST(Timed, ClocksNeverGoBack) {
  expect_all_classes([] {
    std::mutex m;
    std::chrono::steady_clock::time_point last{};
    int wrong = 0;
    const auto look = [&] {
      for (int i = 0; i < 2; ++i) {
        std::lock_guard guard(m);
        const auto now = std::chrono::steady_clock::now();
        wrong += now < last;
        last = now;
      }
    };
    std::thread t(look);
    look();
    t.join();
    if (wrong) std::abort();
    return wrong;
  });
}

// A sleep ends whenever the schedule says, however long it is: what follows comes in any order.
TEST(Timed, SleepsAreOverInAnyOrder) {
  const auto orders = [](auto... ms) {
    static std::vector<int> lasts;
    lasts = {ms...};
    const Search s = search(
        +[] {
          std::mutex m;
          int order = 0;
          std::vector<std::thread> all;
          for (const int n : lasts)
            all.emplace_back([&, n] {
              std::this_thread::sleep_for(std::chrono::milliseconds(n));
              std::lock_guard guard(m);
              order = order * 10 + n;
            });
          for (auto& t : all) t.join();
          return order;
        },
        Reduction::optimal);
    EXPECT_EQ(s.result.executions, s.outcomes.size());
    return s.outcomes.size();
  };
  EXPECT_EQ(orders(1, 2), 2u);
  EXPECT_EQ(orders(1, 2, 3), 6u);
  EXPECT_EQ(orders(1, 2, 3, 4), 24u);
}

// Who waits for longer than another one sleeps does not run out of time before that, unless early.
TEST(Timed, LimitLongerThanASleep) {
  jostle::Options o;
  o.quiet = true;
  o.timeouts = 0;
  const auto body = [](int limit, int sleep) {
    std::mutex m;
    std::condition_variable changed;
    bool done = false;
    std::thread t([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(sleep));
      std::lock_guard guard(m);
      done = true;
      changed.notify_one();
    });
    std::unique_lock lock(m);
    const bool in_time =
        changed.wait_for(lock, std::chrono::milliseconds(limit), [&] { return done; });
    lock.unlock();
    t.join();
    JOSTLE_ASSERT(in_time);
  };
  const jostle::Result good = jostle::check([&] { body(100, 1); }, o);
  EXPECT_TRUE(good.ok() && good.complete) << good.report << good.incomplete;
  EXPECT_FALSE(jostle::check([&] { body(1, 100); }, o).ok());
  o.timeouts = 1;
  EXPECT_FALSE(jostle::check([&] { body(100, 1); }, o).ok());
}

// What has been slept is over on every clock of those who know of it.
TEST(Timed, TimeOfOthersIsHeardOf) {
  expect_all_classes([] {
    using Clock = std::chrono::steady_clock;
    std::mutex m;
    Clock::time_point until{};
    const Clock::time_point start = Clock::now();
    std::thread t([&] {
      std::this_thread::sleep_for(5ms);
      std::lock_guard guard(m);
      until = Clock::now();
    });
    int seen = 0;
    {
      std::lock_guard guard(m);
      if (until != Clock::time_point{}) seen = Clock::now() >= until ? 1 : 2;
    }
    t.join();
    if (seen == 2 || Clock::now() - start < 5ms || until - start < 5ms) std::abort();
    return seen;
  });
}

// Programs made at random, with sleeps everywhere, and limits.
std::uint64_t g_seed;
enum class Limits : std::uint8_t { nowhere, of_the_first, everywhere } g_limits;

int random_program() {
  std::mt19937_64 rng(g_seed);
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  struct Op {
    int what, ms;
  };
  enum { kLimits = 6, kOthers = 8 };
  std::vector<std::vector<Op>> threads(static_cast<std::size_t>(2 + (below(3) == 0)));
  const int timed[2] = {below(kLimits), below(kLimits)};
  const int others[2] = {below(kOthers), below(kOthers)};
  for (auto& ops : threads)
    for (int n = 1 + below(threads.size() == 2 ? 4 : 2); n > 0; --n) {
      const bool may = g_limits == Limits::everywhere ||
                       (g_limits == Limits::of_the_first && &ops == &threads[0]);
      const bool limits = may && below(4) != 0;
      const int* kinds = limits ? timed : others;
      const int all = limits ? kLimits : kOthers;
      ops.push_back(
          {(limits ? 0 : 10) + (below(4) == 0 ? below(all) : kinds[below(2)]), 1 + below(2)});
    }
  sem_t sem;
  sem_init(&sem, 0, static_cast<unsigned>(below(2)));
  std::timed_mutex mutex;
  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  Condition c;
  std::vector<int> seen(threads.size());
  const auto run = [&](std::size_t i) {
    for (const Op op : threads[i]) {
      int r = 0;
      const timespec until =
          op.what == 0 || op.what == 2 || op.what == 3 ? after(op.ms) : timespec{};
      switch (op.what) {
        case 0:
          r = sem_timedwait(&sem, &until) == 0;
          break;
        case 1:
          if ((r = mutex.try_lock_for(std::chrono::milliseconds(op.ms)))) mutex.unlock();
          break;
        case 2:
          if ((r = pthread_rwlock_timedrdlock(&rw, &until) == 0)) pthread_rwlock_unlock(&rw);
          break;
        case 3:
          if ((r = pthread_rwlock_timedwrlock(&rw, &until) == 0)) pthread_rwlock_unlock(&rw);
          break;
        case 4:
          r = c.wait(op.ms);
          break;
        case 5:
          std::this_thread::sleep_for(std::chrono::milliseconds(op.ms));
          break;
        case 10:
          sem_post(&sem);
          break;
        case 11:
          mutex.lock();
          mutex.unlock();
          break;
        case 12:
          pthread_rwlock_rdlock(&rw);
          pthread_rwlock_unlock(&rw);
          break;
        case 13:
          pthread_rwlock_wrlock(&rw);
          pthread_rwlock_unlock(&rw);
          break;
        case 14:
          pthread_cond_signal(&c.changed);
          break;
        case 15:
          r = std::chrono::steady_clock::now() > std::chrono::steady_clock::time_point{};
          break;
        case 16:
          r = sem_trywait(&sem) == 0;
          break;
        default:
          std::this_thread::sleep_for(std::chrono::milliseconds(op.ms));
      }
      seen[i] = seen[i] * 2 + r;
    }
  };
  std::vector<std::thread> all;
  for (std::size_t i = 1; i < threads.size(); ++i) all.emplace_back(run, i);
  run(0);
  for (auto& t : all) t.join();
  sem_destroy(&sem);
  int sum = 0;
  for (const int x : seen) sum = sum * 16 + x;
  return sum;
}

// Those that are too many to be compared are left out.
void each_random_program(std::uint64_t count, Limits limits, void (*compare)()) {
  g_limits = limits;
  for (g_seed = 1; g_seed <= count; ++g_seed) {
    SCOPED_TRACE("seed " + std::to_string(g_seed));
    jostle::Options o;
    o.quiet = true;
    o.executions = 5'000;
    o.output = testing::TempDir() + "/jostle-timed";
    o.reduction = Reduction::none;
    if (jostle::check([] { random_program(); }, o).complete) compare();
  }
}

TEST(Timed, RandomPrograms) {
  each_random_program(150, Limits::of_the_first, [] { expect_all_classes(&random_program); });
}
TEST(Timed, RandomProgramsThatOnlySleep) {
  each_random_program(100, Limits::nowhere, [] {
    const Search all = search(&random_program, Reduction::none);
    EXPECT_EQ(search(&random_program, Reduction::optimal).result.executions, all.result.classes);
    for (const Reduction reduction : {Reduction::source, Reduction::dpor})
      EXPECT_EQ(search(&random_program, reduction).outcomes, all.outcomes);
    for (const char* bound : {"0", "1"})
      EXPECT_EQ(search(&random_program, Reduction::bpor, "", bound).outcomes,
                search(&random_program, Reduction::none, "", bound).outcomes);
  });
}
// Whose limit passes is decided without reduction.
TEST(Timed, RandomProgramsWithLimitsOfSeveral) {
  each_random_program(80, Limits::everywhere, [] { expect_all_classes(&random_program); });
}
TEST(Timed, RandomProgramsWithABound) {
  each_random_program(60, Limits::everywhere, [] {
    for (const char* bound : {"0", "1"}) {
      const Search all = search(&random_program, Reduction::none, "", bound);
      const Search s = search(&random_program, Reduction::bpor, "", bound);
      EXPECT_EQ(s.result.classes, all.result.classes) << bound;
      EXPECT_EQ(s.outcomes, all.outcomes) << bound;
    }
  });
}

}  // namespace

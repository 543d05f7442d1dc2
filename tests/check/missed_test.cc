// What a check must neither miss nor make up.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/check/all_classes.h"

namespace {

using jostle::Options;
using jostle::Result;

Result quietly(void (*body)(), Options o = {}) {
  o.quiet = true;
  o.minimize = false;
  o.output = testing::TempDir() + "/jostle-missed";
  return jostle::check(body, o);
}

void expect_finding(void (*body)(), const char* kind) {
  for (const auto reduction :
       {Reduction::optimal, Reduction::source, Reduction::dpor, Reduction::none, Reduction::bpor}) {
    Options o;
    o.reduction = reduction;
    if (reduction == Reduction::bpor) o.preemptions = "9";
    const Result r = quietly(body, o);
    ASSERT_FALSE(r.findings.empty()) << static_cast<int>(reduction);
    EXPECT_EQ(r.findings[0].kind, kind);
    EXPECT_TRUE(r.findings[0].confirmed);
    if (reduction == Reduction::optimal) EXPECT_EQ(r.blocked, 0u);
  }
}

// Whether a futex waits depends on what it finds: only then is there something to wake.
TEST(Missed, FutexThatWaitsAfterItWasWoken) {
  expect_finding(
      [] {
        std::atomic<int> ready{0};
        std::thread t([&] {
          syscall(SYS_futex, &ready, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
          ready = 1;
        });
        if (ready == 0) syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
        t.join();
      },
      "deadlock");
}

// The end of a thread lets go of the mutex in the same step in which the thread got it.
TEST(Missed, RobustMutexBeyondRecovery) {
  expect_finding(
      [] {
        pthread_mutexattr_t robust;
        pthread_mutexattr_init(&robust);
        pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_t m;
        pthread_mutex_init(&m, &robust);
        std::thread t([&] { pthread_mutex_lock(&m); });
        int r = pthread_mutex_lock(&m);
        if (r == EOWNERDEAD) {
          pthread_mutex_unlock(&m);
          r = pthread_mutex_lock(&m);
        }
        assert(r == 0);
        pthread_mutex_unlock(&m);
        t.join();
      },
      "assertion");
}

// Nobody has used the mutex yet when it may be destroyed.
TEST(Missed, DestroyedAtOnce) {
  expect_finding(
      [] {
        pthread_mutex_t m;
        pthread_mutex_init(&m, nullptr);
        std::thread t([&] {
          pthread_mutex_lock(&m);
          pthread_mutex_unlock(&m);
        });
        pthread_mutex_destroy(&m);
        t.join();
      },
      "misuse");
}

// A planned compare-exchange is still free to fail or not when another sequence is put below it.
TEST(Missed, CompareExchangesThatFailForNoReason) {
  expect_all_classes(
      [] {
        std::atomic<double> sum{0};
        const auto add = [&] { sum.fetch_add(1.5); };
        std::thread t(add);
        add();
        t.join();
        return static_cast<int>(sum.load());
      },
      14);
}

// One of two that may fail is as good as the other: the bound is for both.
TEST(Missed, CompareExchangesOfDifferentObjects) {
  expect_all_classes(
      [] {
        std::atomic<int> a{0}, b{0};
        const auto set = [](std::atomic<int>& x) {
          int expected = 0;
          return static_cast<int>(x.compare_exchange_weak(expected, 1));
        };
        int first = 0;
        std::thread t([&] { first = set(a); });
        const int second = set(b);
        t.join();
        return first + 2 * second;
      },
      3);
}

// Reductions without sequences: one choice sleeps, the other does not.
TEST(Missed, FailureForNoReasonBeforeAnAddition) {
  const auto body = [] {
    std::atomic<int> x{0};
    std::thread t([&] { ++x; });
    int expected = 0;
    const int set = x.compare_exchange_weak(expected, 5);
    t.join();
    return set + 2 * x.load() + 100 * expected;
  };
  const Search all = search(body, Reduction::none);
  EXPECT_EQ(all.outcomes.size(), 3u);
  for (const auto reduction : {Reduction::source, Reduction::dpor, Reduction::optimal})
    for (const char* priority : {"", "rand"})
      EXPECT_EQ(search(body, reduction, priority).outcomes, all.outcomes);
}

// The same in a loop: neither is a class left out, nor does the search go on for ever.
TEST(Missed, FailureForNoReasonInALoop) {
  const auto body = [] {
    std::stop_source source;
    int first = 0;
    std::thread t([&] { first = source.request_stop(); });
    const int second = source.request_stop();
    t.join();
    return first + 2 * second;
  };
  expect_all_classes(body, 20);
  for (const auto reduction : {Reduction::source, Reduction::dpor})
    for (const char* priority : {"", "rand"})
      EXPECT_EQ(search(body, reduction, priority).result.executions, 20u);
}

// A barrier of the standard library has its state on the heap, which is another place in another
// process, and spins before it waits.
TEST(Missed, HeapOfOtherProcesses) {
  const auto body = [] {
    std::barrier barrier(2);
    std::thread t([&] { barrier.arrive_and_drop(); });
    barrier.arrive_and_wait();
    t.join();
  };
  const Result one = quietly(body);
  EXPECT_TRUE(one.complete) << one.report;
  for (const char* priority : {"", "rand", "pb"}) {
    Options o;
    o.jobs = 2;
    o.priority = priority;
    const Result two = quietly(body, o);
    EXPECT_TRUE(two.complete) << two.report;
    EXPECT_EQ(two.executions, one.executions) << priority;
    EXPECT_EQ(two.blocked, 0u) << priority;
  }
}

// As all of a program's loads are without optimisation.
[[gnu::noinline]] int load(const std::atomic<int>& x) { return x; }

// Lamport's bakery, whose loops look at the same number several times in a turn.
TEST(Missed, LoopThatLooksThroughAFunction) {
  Options o;
  o.executions = 2000;
  const Result r = quietly(
      [] {
        std::atomic<int> choosing[2]{}, number[2]{};
        int inside = 0;
        const auto enter = [&](int i) {
          const int other = 1 - i;
          choosing[i] = 1;
          const int a = load(number[i]), b = load(number[other]);
          number[i] = 1 + (a > b ? a : b);
          choosing[i] = 0;
          while (load(choosing[other]) != 0) {
          }
          while (load(number[other]) != 0 &&
                 (load(number[other]) < load(number[i]) ||
                  (load(number[other]) == load(number[i]) && other < i))) {
          }
          ++inside;
          number[i] = 0;
        };
        std::thread t(enter, 0);
        enter(1);
        t.join();
        assert(inside == 2);
      },
      o);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete) << r.incomplete;
}

// The first execution in which a thread spins is made again. The race that it shows is not lost.
TEST(Missed, RaceBehindALoop) {
  const Result r = quietly([] {
    std::atomic<int> ready{0};
    int data = 0;
    std::thread t([&] {
      data = 1;
      ready.store(1, std::memory_order_relaxed);
    });
    while (ready.load() == 0) {
    }
    const int seen = data;
    t.join();
    assert(seen == 1);
  });
  ASSERT_FALSE(r.findings.empty());
  EXPECT_EQ(r.findings[0].kind, "race");
}

// The end of a thread gives back its robust mutexes: not what its last operation does.
TEST(Missed, RobustMutexAtTheEnd) {
  expect_all_classes(
      [] {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_t robust, plain = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_init(&robust, &attr);
        const auto take = [](pthread_mutex_t& m, int& seen) {
          const int r = pthread_mutex_trylock(&m);
          if (r == EOWNERDEAD) pthread_mutex_consistent(&m);
          seen = seen * 3 + (r == 0 ? 0 : r == EBUSY ? 1 : 2);
          return r != EBUSY;
        };
        int mine = 0, others = 0;
        std::thread t([&] {
          take(robust, others);
          take(plain, others);
        });
        for (int i = 0; i < 2; ++i)
          if (take(robust, mine)) pthread_mutex_unlock(&robust);
        take(plain, mine);
        t.join();
        return mine * 9 + others;
      },
      13);
}

// What a thread does until it waits for another one costs no preemption to come back from.
TEST(Missed, WaitsCostNoPreemption) {
  const auto compare = [](int (*body)()) {
    for (const char* bound : {"0", "1", "2"}) {
      const Search all = search(body, Reduction::none, "", bound);
      const Search s = search(body, Reduction::bpor, "", bound);
      EXPECT_EQ(s.result.classes, all.result.classes) << bound;
      EXPECT_EQ(s.outcomes, all.outcomes) << bound;
    }
  };
  compare([] {  // a mutex
    std::mutex m;
    std::atomic<int> x{0};
    int a = 0, b = 0, c = 0, order = 0;
    std::thread t([&] {
      b = x.fetch_add(1);
      m.lock();
      order = order * 10 + 2;
      m.unlock();
      c = x.fetch_add(1);
    });
    m.lock();
    order = order * 10 + 1;
    m.unlock();
    a = x.fetch_add(1);
    t.join();
    return order * 1000 + a * 100 + b * 10 + c;
  });
  compare([] {  // a semaphore
    sem_t s;
    sem_init(&s, 0, 0);
    std::atomic<int> x{0};
    int a = 0, b = 0, c = 0;
    std::thread t([&] {
      b = x.fetch_add(1);
      sem_wait(&s);
      c = x.fetch_add(1);
    });
    sem_post(&s);
    a = x.fetch_add(1);
    t.join();
    sem_destroy(&s);
    return a * 100 + b * 10 + c;
  });
  compare([] {  // a reader and a writer
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    std::atomic<int> x{0};
    int a = 0, b = 0, c = 0;
    std::thread t([&] {
      b = x.fetch_add(1);
      pthread_rwlock_wrlock(&rw);
      pthread_rwlock_unlock(&rw);
      c = x.fetch_add(1);
    });
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    a = x.fetch_add(1);
    t.join();
    return a * 100 + b * 10 + c;
  });
  compare([] {  // the end of a thread
    std::atomic<int> x{0};
    int a = 0, b = 0, c = 0, d = 0;
    std::thread first([&] { a = x.fetch_add(1); });
    std::thread t([&] {
      b = x.fetch_add(1);
      first.join();
      c = x.fetch_add(1);
    });
    d = x.fetch_add(1);
    t.join();
    return a * 1000 + b * 100 + c * 10 + d;
  });
}

extern "C" int __cxa_guard_acquire(long*);
extern "C" void __cxa_guard_release(long*);

// What compiled code does for a static variable of a function: who finds it initialised looks at
// the guard and calls nothing.
TEST(Missed, WhoInitialisesAStatic) {
  expect_finding(
      [] {
        long guard = 0;
        int by = -1;
        const auto use = [&](int who) {
          if (__atomic_load_n(reinterpret_cast<char*>(&guard), __ATOMIC_ACQUIRE) == 0 &&
              __cxa_guard_acquire(&guard)) {
            by = who;
            __cxa_guard_release(&guard);
          }
        };
        std::thread a(use, 0), b(use, 1);
        a.join();
        b.join();
        assert(by == 0);
      },
      "assertion");
}

// Which thread gets which number is decided by an order that the search does not know.
TEST(Missed, NumbersOfDescriptors) {
  Options o;
  o.isolation = Options::Isolation::fork;
  const Result r = quietly(
      [] {
        int fd[2];
        std::thread a([&] { fd[0] = dup(0); }), b([&] { fd[1] = dup(0); });
        a.join();
        b.join();
        for (const int f : fd) close(f);
      },
      o);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_FALSE(r.complete);
}

// A compare-exchange that fails for no reason wakes nobody: the branch that it was to lead into has
// to be followed until somebody is awake.
TEST(Missed, FailureForNoReasonThatWakesNobody) {
  expect_all_classes(
      [] {
        std::atomic<int> x{0};
        int seen[3] = {};
        const auto increment = [&](int i) {
          int e = x.load();
          int& s = seen[i];
          s = e + 1;
          while (!x.compare_exchange_weak(e, e + 1)) s = s * 4 + e + 1;
        };
        std::thread a(increment, 0), b(increment, 1);
        increment(2);
        a.join();
        b.join();
        return (seen[0] * 1000 + seen[1]) * 1000 + seen[2];
      },
      264);
  expect_all_classes(
      [] {
        std::atomic<int> x{0};
        int a = 1, b = 0, c = 1, d = 0, e = 0;
        bool ra = false, rb = false, rc = false;
        std::thread t1([&] {
          std::thread t2([&] {
            rc = x.compare_exchange_weak(c, 0);
            d = x.load();
          });
          rb = x.compare_exchange_weak(b, 2);
          e = x.fetch_add(1);
          t2.join();
        });
        ra = x.compare_exchange_weak(a, 0);
        t1.join();
        int all = 0;
        for (const int v : {int{ra}, a, int{rb}, b, e, int{rc}, c, d}) all = all * 4 + v;
        return all;
      },
      26);
}

// Who has looked at a clock is not where it was before, whatever else it has seen.
TEST(Missed, LoopThatEndsByTheClock) {
  expect_finding(
      [] {
        std::atomic<int> ready{0};
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
        std::thread t([&] { ready = 1; });
        bool in_time = true;
        while (ready == 0) {
          if (std::chrono::steady_clock::now() > end) {
            in_time = false;
            break;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        t.join();
        assert(in_time);
      },
      "assertion");
}

TEST(MadeUp, LoopThatEndsByTheClock) {
  for (const auto nap : {0, 1}) {
    static int milliseconds;
    milliseconds = nap;
    const Result r = quietly([] {
      std::atomic<int> ready{0};
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
      std::thread t([&] {
        while (ready == 0 && std::chrono::steady_clock::now() < end)
          if (milliseconds) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      });
      t.join();
    });
    EXPECT_TRUE(r.ok()) << r.report;
  }
}

// A limit of one thread, and somebody who sleeps: which of both comes first.
TEST(Missed, LimitThatPassesAfterASleep) {
  Options o;
  o.timeouts = 0;
  const Result r = quietly(
      [] {
        std::atomic<int> x{0};
        sem_t s;
        sem_init(&s, 0, 0);
        int seen = -1;
        std::thread t([&] {
          timespec until;
          clock_gettime(CLOCK_REALTIME, &until);
          until.tv_nsec += 1'000'000;
          if (until.tv_nsec >= 1'000'000'000) until.tv_nsec -= 1'000'000'000, ++until.tv_sec;
          sem_timedwait(&s, &until);
          seen = x;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        x = 1;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        x = 2;
        t.join();
        assert(seen == 2);
      },
      o);
  ASSERT_FALSE(r.findings.empty()) << r.guarantee;
}

// Which of both it is, is not tried.
TEST(Missed, LimitOrNoReason) {
  Options o;
  o.spurious = 1;
  const Result r = quietly(
      [] {
        std::mutex m;
        std::condition_variable c;
        std::thread t([&] {
          std::unique_lock lock(m);
          c.wait_for(lock, std::chrono::milliseconds(1));
        });
        t.join();
      },
      o);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_FALSE(r.complete);
}

// Which stores what it saw where the expected value was, on the heap: the next turn is another.
TEST(MadeUp, LoopOfCompareExchanges) {
  const Result r = quietly([] {
    struct Node {
      Node* next;
    };
    std::atomic<Node*> head{nullptr};
    const auto push = [&] {
      Node* n = new Node{head.load()};
      while (!head.compare_exchange_strong(n->next, n)) {
      }
    };
    std::thread t(push);
    push();
    t.join();
    int count = 0;
    for (Node* n = head; n != nullptr; ++count) {
      Node* next = n->next;
      delete n;
      n = next;
    }
    assert(count == 2);
  });
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete) << r.incomplete;
}

}  // namespace

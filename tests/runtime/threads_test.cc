// Many threads, static initialisation, global objects over many executions, threads left behind.
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

TEST(Threads, TwoHundred) {
  const auto r = jostle::run(
      [] {
        std::mutex m;
        int count = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 200; ++i)
          threads.emplace_back([&] {
            std::lock_guard lock(m);
            ++count;
          });
        for (auto& t : threads) t.join();
        JOSTLE_ASSERT(count == 200);
      },
      quick(20));
  EXPECT_PASSES(r);
}

// Over the limit pthread_create fails as it would on a machine that is full.
TEST(Threads, TooManyIsAnErrorOfTheCall) {
  auto o = quick(1);
  const auto r = jostle::run(
      [] {
        std::vector<pthread_t> threads;
        int failed = 0;
        for (int i = 0; i < 1100; ++i) {
          pthread_t t;
          const int e =
              pthread_create(&t, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
          if (e == 0)
            threads.push_back(t);
          else
            failed += e == EAGAIN;
        }
        for (const pthread_t t : threads) pthread_join(t, nullptr);
        JOSTLE_ASSERT(threads.size() == 1023);
        JOSTLE_ASSERT(failed == 1100 - 1023);
      },
      o);
  EXPECT_PASSES(r);
}

TEST(Threads, ATreeOfThem) {
  const auto r = jostle::run(
      [] {
        std::atomic<int> leaves{0};
        std::function<void(int)> grow = [&](int depth) {
          if (depth == 0) {
            ++leaves;
            return;
          }
          std::thread a(grow, depth - 1), b(grow, depth - 1);
          a.join();
          b.join();
        };
        grow(4);
        JOSTLE_ASSERT(leaves == 16);
      },
      quick(50));
  EXPECT_PASSES(r);
}

std::atomic<int> g_constructions;
struct Slow {
  int a, b;
  Slow() : a(1) {
    ++g_constructions;
    jostle_point();
    b = 2;
  }
};
Slow& slow() {
  static Slow s;
  return s;
}

// A process per execution, so that each one sees the first construction.
TEST(StaticInitialisation, HappensOnceWhoeverComesFirst) {
  auto o = quick(60);
  o.isolation = jostle::Options::Isolation::fork;
  const auto r = jostle::run(
      [] {
        auto work = [] { JOSTLE_ASSERT(slow().a == 1 && slow().b == 2); };
        std::thread a(work), b(work), c(work);
        a.join();
        b.join();
        c.join();
        JOSTLE_ASSERT(g_constructions == 1);
      },
      o);
  EXPECT_PASSES(r);
  EXPECT_EQ(g_constructions, 0) << "an execution changed this process";
}

int g_attempts;
int fails_twice() {
  if (++g_attempts < 3) throw g_attempts;
  return 42;
}

TEST(StaticInitialisation, IsTriedAgainAfterAnException) {
  auto o = quick(40);
  o.isolation = jostle::Options::Isolation::fork;
  const auto r = jostle::run(
      [] {
        std::atomic<int> thrown{0};
        auto work = [&] {
          try {
            static const int value = fails_twice();
            JOSTLE_ASSERT(value == 42);
          } catch (int) {
            ++thrown;
          }
        };
        std::thread a(work), b(work), c(work);
        a.join();
        b.join();
        c.join();
        work();
        JOSTLE_ASSERT(thrown == 2);
        JOSTLE_ASSERT(g_attempts == 3);
      },
      o);
  EXPECT_PASSES(r);
}

// Natively made, then used in every execution.
std::mutex g_mutex;
std::condition_variable g_changed;
pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
int g_value;

TEST(GlobalObjects, ServeManyExecutions) {
  {
    std::lock_guard native(g_mutex);
  }
  const auto r = jostle::run(
      [] {
        g_value = 0;
        std::thread t([] {
          std::unique_lock lock(g_mutex);
          g_changed.wait(lock, [] { return g_value == 1; });
          g_value = 2;
          lock.unlock();
          g_changed.notify_one();
        });
        {
          std::unique_lock lock(g_mutex);
          g_value = 1;
          g_changed.notify_one();
          g_changed.wait(lock, [] { return g_value == 2; });
        }
        t.join();
        pthread_rwlock_rdlock(&g_rwlock);
        pthread_rwlock_unlock(&g_rwlock);
      },
      quick(5000));
  EXPECT_PASSES(r);
  EXPECT_TRUE(g_mutex.try_lock())
      << "an execution left the mutex locked for the rest of the program";
  g_mutex.unlock();
  EXPECT_EQ(pthread_rwlock_trywrlock(&g_rwlock), 0);
  pthread_rwlock_unlock(&g_rwlock);
}

// A failed execution ends with the lock held; the next one, and the program, find it free.
TEST(GlobalObjects, AreFreeAfterAFailedExecution) {
  auto o = quick(100);
  o.keep_going = true;
  const auto r = jostle::run(
      [] {
        std::thread t([] { std::lock_guard lock(g_mutex); });
        {
          std::lock_guard lock(g_mutex);
          JOSTLE_ASSERT(false && "on purpose");
        }
        t.join();
      },
      o);
  EXPECT_FINDS(r, "assertion");
  EXPECT_TRUE(g_mutex.try_lock());
  g_mutex.unlock();
}

TEST(LeftRunning, ADetachedThreadIsReported) {
  const auto r = jostle::run(
      [] {
        static std::mutex m;
        std::thread([] { std::lock_guard lock(m); }).detach();
      },
      quick());
  EXPECT_FINDS(r, "misuse");
}

TEST(LeftRunning, AWaitingThreadIsReported) {
  const auto r = jostle::run(
      [] {
        struct State {
          std::mutex m;
          std::condition_variable c;
        };
        auto s = std::make_shared<State>();
        std::thread([s] {
          std::unique_lock lock(s->m);
          s->c.wait(lock);
        }).detach();
      },
      quick());
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_TRUE(r.findings[0].kind == "misuse" || r.findings[0].kind == "deadlock") << r.report;
}

// What they held is nobody's afterwards, so many such executions can follow each other.
TEST(LeftRunning, DoesNotHurtLaterExecutions) {
  auto o = quick(500);
  o.keep_going = true;
  const auto left =
      jostle::run([] { std::thread([] { std::lock_guard lock(g_mutex); }).detach(); }, o);
  ASSERT_GE(left.findings.size(), 1u);  // one for each place where the thread may be
  for (const jostle::Finding& f : left.findings) EXPECT_EQ(f.kind, "misuse") << left.report;
  const auto after = jostle::run(
      [] {
        std::thread t([] { std::lock_guard lock(g_mutex); });
        {
          std::lock_guard lock(g_mutex);
        }
        t.join();
      },
      quick());
  EXPECT_PASSES(after);
}

TEST(Threads, ReturnValuesAndExit) {
  const auto r = jostle::run(
      [] {
        pthread_t a, b;
        pthread_create(&a, nullptr, [](void* p) -> void* { return p; }, &a);
        pthread_create(&b, nullptr, [](void* p) -> void* { pthread_exit(p); }, &b);
        void *ra, *rb;
        pthread_join(a, &ra);
        pthread_join(b, &rb);
        JOSTLE_ASSERT(ra == &a && rb == &b);
      },
      quick());
  EXPECT_PASSES(r);
}

// pthread_exit in the body's thread ends that thread; the others are waited for.
TEST(Threads, ExitOfTheBodysThread) {
  const auto r = jostle::run([] { pthread_exit(nullptr); }, quick(20));
  EXPECT_PASSES(r);
}

}  // namespace

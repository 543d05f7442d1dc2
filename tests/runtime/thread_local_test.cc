// thread_local, errno and pthread keys: one per thread, fresh in each execution.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

thread_local int t_plain = 7;
thread_local int t_zero;
thread_local char t_large[64 << 10];
thread_local std::string t_string = "initial";

// Atomic: all thread_locals of a file are made when the first of them is used.
std::atomic<int> g_made, g_gone;
struct Counted {
  int value = 5;
  Counted() { ++g_made; }
  ~Counted() { ++g_gone; }
};
thread_local Counted t_counted;

TEST(ThreadLocal, FreshInEachThreadAndExecution) {
  const auto r = jostle::run(
      [] {
        auto work = [] {
          JOSTLE_ASSERT(t_plain == 7);
          JOSTLE_ASSERT(t_zero == 0);
          JOSTLE_ASSERT(t_large[0] == 0 && t_large[sizeof t_large - 1] == 0);
          JOSTLE_ASSERT(t_string == "initial");
          t_plain = t_zero = 1;
          t_large[0] = t_large[sizeof t_large - 1] = 1;
          t_string = "a string that is much too long for the small string optimisation";
          jostle_point();
          JOSTLE_ASSERT(t_plain == 1 && t_zero == 1 && t_string.size() > 20);
        };
        std::thread a(work), b(work);
        work();
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(ThreadLocal, OfALibraryThatIsLoadedLater) {
  const auto r = jostle::run(
      [] {
        void* const library = dlopen(JOSTLE_TEST_PLUGIN, RTLD_NOW);
        JOSTLE_ASSERT(library);
        const auto next = reinterpret_cast<int (*)()>(dlsym(library, "next_of_this_thread"));
        auto work = [&] {
          JOSTLE_ASSERT(next() == 41);
          jostle_point();
          JOSTLE_ASSERT(next() == 42);
        };
        std::thread a(work), b(work);
        work();
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(ThreadLocal, ConstructedAndDestroyedOncePerThread) {
  const auto r = jostle::run(
      [] {
        g_made = 0;
        g_gone = 0;
        auto work = [] {
          jostle::Sealed one_at_a_time;
          t_counted.value += 1;
          JOSTLE_ASSERT(t_counted.value == 6);
        };
        std::thread a(work);
        a.join();
        JOSTLE_ASSERT(g_made == 1 && g_gone == 1);
        std::thread b(work);
        b.join();
        JOSTLE_ASSERT(g_made == 2 && g_gone == 2);
        work();
        JOSTLE_ASSERT(g_made == 3 && g_gone == 2);
      },
      quick());
  EXPECT_PASSES(r);
  EXPECT_EQ(g_gone, 3) << "the body's own thread_local was not destroyed";
}

TEST(ThreadLocal, NotConstructedWhereNotUsed) {
  const auto r = jostle::run(
      [] {
        g_made = 0;
        g_gone = 0;
        std::thread a([] {});
        a.join();
        JOSTLE_ASSERT(g_made == 0 && g_gone == 0);
      },
      quick(50));
  EXPECT_PASSES(r);
}

// The destructor of one uses another, which is made again for that.
TEST(ThreadLocal, UsedByADestructor) {
  struct Late {
    ~Late() { t_string += "x"; }
  };
  const auto r = jostle::run(
      [] {
        std::thread a([] {
          thread_local Late late;
          (void)&late;
          JOSTLE_ASSERT(t_string == "initial");
        });
        a.join();
      },
      quick(50));
  EXPECT_PASSES(r);
}

TEST(ThreadLocal, LocalToAFunction) {
  const auto r = jostle::run(
      [] {
        auto next = [] {
          thread_local int n = 10;
          jostle_point();
          return n++;
        };
        auto work = [&] {
          JOSTLE_ASSERT(next() == 10);
          JOSTLE_ASSERT(next() == 11);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(ThreadLocal, FreshAfterAFailedExecution) {
  auto o = quick(40);
  o.keep_going = true;
  const auto r = jostle::run(
      [] {
        JOSTLE_ASSERT(t_plain == 7);
        t_plain = 8;
        std::thread t([] {
          JOSTLE_ASSERT(t_plain == 7 && t_string == "initial");
          t_plain = 9;
          t_string = "changed";
          JOSTLE_ASSERT(false && "on purpose");
        });
        t.join();
      },
      o);
  EXPECT_FINDS(r, "assertion");
  ASSERT_GE(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("on purpose"), std::string::npos) << r.report;
}

TEST(ThreadLocal, TheCallersAreUntouched) {
  t_plain = 70;
  t_string = "caller";
  errno = EXDEV;
  const auto r = jostle::run(
      [] {
        t_plain = 71;
        errno = ENOENT;
      },
      quick(20));
  EXPECT_EQ(t_plain, 70);
  EXPECT_EQ(t_string, "caller");
  EXPECT_PASSES(r);
  t_plain = 7;
  t_string = "initial";
}

TEST(Errno, OnePerThread) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          JOSTLE_ASSERT(errno == 0);
          errno = id;
          for (int i = 0; i < 3; ++i) {
            jostle_point();
            JOSTLE_ASSERT(errno == id);
          }
        };
        std::thread a(work, 1), b(work, 2), c(work, 3);
        a.join();
        b.join();
        c.join();
      },
      quick());
  EXPECT_PASSES(r);
}

// Locking must not touch it either.
TEST(Errno, SurvivesSynchronisation) {
  const auto r = jostle::run(
      [] {
        std::mutex m;
        auto work = [&](int id) {
          errno = id;
          for (int i = 0; i < 2; ++i) {
            std::lock_guard lock(m);
            JOSTLE_ASSERT(errno == id);
          }
          std::this_thread::yield();
          JOSTLE_ASSERT(errno == id);
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

int g_destroyed;
pthread_key_t g_key;

TEST(Keys, DestructorsRunPerThread) {
  ASSERT_EQ(pthread_key_create(&g_key,
                               [](void* p) {
                                 g_destroyed += *static_cast<int*>(p);
                                 delete static_cast<int*>(p);
                               }),
            0);
  const auto r = jostle::run(
      [] {
        g_destroyed = 0;
        auto work = [](int n) {
          JOSTLE_ASSERT(pthread_getspecific(g_key) == nullptr);
          pthread_setspecific(g_key, new int(n));
          jostle_point();
          JOSTLE_ASSERT(*static_cast<int*>(pthread_getspecific(g_key)) == n);
        };
        std::thread a(work, 1);
        a.join();
        std::thread b(work, 10);
        b.join();
        JOSTLE_ASSERT(g_destroyed == 11);
        work(100);
      },
      quick());
  EXPECT_PASSES(r);
  EXPECT_EQ(g_destroyed, 111) << "the body's own value was not destroyed";
  EXPECT_EQ(pthread_getspecific(g_key), nullptr);
  pthread_key_delete(g_key);
}

TEST(Keys, MadeInTheBody) {
  const auto r = jostle::run(
      [] {
        pthread_key_t key;
        JOSTLE_ASSERT(pthread_key_create(&key, nullptr) == 0);
        std::thread a([&] {
          JOSTLE_ASSERT(pthread_getspecific(key) == nullptr);
          pthread_setspecific(key, &key);
        });
        a.join();
        JOSTLE_ASSERT(pthread_getspecific(key) == nullptr);
        pthread_key_delete(key);
      },
      quick(3000));  // more than there are keys
  EXPECT_PASSES(r);
}

// A key of a failed execution that nobody deleted holds no value in the next one.
TEST(Keys, FreshAfterAFailedExecution) {
  ASSERT_EQ(pthread_key_create(&g_key, [](void*) {}), 0);
  auto o = quick(40);
  o.keep_going = true;
  const auto r = jostle::run(
      [] {
        JOSTLE_ASSERT(pthread_getspecific(g_key) == nullptr);
        pthread_setspecific(g_key, &g_key);
        std::thread t([] {
          JOSTLE_ASSERT(pthread_getspecific(g_key) == nullptr);
          pthread_setspecific(g_key, &g_key);
          JOSTLE_ASSERT(false && "on purpose");
        });
        t.join();
      },
      o);
  EXPECT_FINDS(r, "assertion");
  ASSERT_GE(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("on purpose"), std::string::npos) << r.report;
  pthread_key_delete(g_key);
}

}  // namespace

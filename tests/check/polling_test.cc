// Loops that take a lock at each turn: each search ends, and no turn that could matter is left out.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <jostle/jostle.hpp>
#include <mutex>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <thread>

namespace {

template <class F>
jostle::Result check(F body, const char* priority = "") {
  jostle::Options o;
  o.quiet = true;
  o.budget = 60;
  o.priority = priority;
  o.output = testing::TempDir() + "/jostle-check";
  jostle::Result r = jostle::check(body, o);
  EXPECT_EQ(r.error, "");
  return r;
}

std::mutex g_m, g_n;

template <class Lock>
void poll(Lock& lock, const bool& done) {
  for (;;) {
    std::lock_guard guard(lock);
    if (done) break;
  }
}

// The poll comes first, or does not.
TEST(Polling, OneThread) {
  const jostle::Result r = check([] {
    bool done = false;
    std::thread t([&] {
      std::lock_guard guard(g_m);
      done = true;
    });
    poll(g_m, done);
    t.join();
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_EQ(r.executions, 2u);
}

TEST(Polling, Readers) {
  const jostle::Result r = check([] {
    std::shared_mutex rw;
    bool done = false;
    const auto read = [&] {
      for (;;) {
        std::shared_lock guard(rw);
        if (done) break;
      }
    };
    std::thread a(read), b(read);
    {
      std::lock_guard guard(rw);
      done = true;
    }
    a.join();
    b.join();
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_EQ(r.blocked, 0u);
}

// One thread's turns do not wake the other for ever. Any order of search comes to the same.
TEST(Polling, TwoThreads) {
  std::set<std::uint64_t> counts;
  for (const char* priority : {"", "pb", "rand", "dpor"}) {
    const jostle::Result r = check(
        [] {
          bool done = false;
          int other = 0;
          std::thread a([&] { poll(g_m, done); }), b([&] { poll(g_m, done); });
          {
            std::lock_guard guard(g_m);
            other = 1;
          }
          {
            std::lock_guard guard(g_m);
            done = other == 1;
          }
          a.join();
          b.join();
        },
        priority);
    EXPECT_TRUE(r.complete) << r.incomplete;
    EXPECT_EQ(r.blocked, 0u);
    counts.insert(r.executions);
  }
  EXPECT_EQ(counts.size(), 1u);
}

// What is seen at each turn is all that could be: the numbers that others have left there.
TEST(Polling, SeesEveryChange) {
  static std::set<int> seen;
  seen.clear();
  const jostle::Result r = check([] {
    int x = 0;
    std::thread t([&] {
      for (int i = 1; i <= 3; ++i) {
        std::lock_guard guard(g_m);
        x = i;
      }
    });
    int saw = 0;
    for (bool done = false; !done;) {
      std::lock_guard guard(g_m);
      saw |= 1 << x;
      done = x == 3;
    }
    t.join();
    seen.insert(saw);
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_EQ(seen, (std::set<int>{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Polling, Queue) {
  const jostle::Result r = check([] {
    std::mutex m;
    int items[2], n = 0;
    const auto pop = [&](int& out) {
      std::lock_guard guard(m);
      if (n == 0) return false;
      out = items[--n];
      return true;
    };
    std::thread t([&] {
      for (int i = 0; i < 2; ++i) {
        std::lock_guard guard(m);
        items[n++] = i + 1;
      }
    });
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      int x = 0;
      while (!pop(x)) std::this_thread::yield();
      sum += x;
    }
    t.join();
    JOSTLE_ASSERT(sum == 3);
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
}

// A semaphore is looked at several times before a try gives up: the loop around it comes back to
// the same state after so many looks, and not at the next.
TEST(Polling, OfWhatPollsItself) {
  const auto wait = [](std::counting_semaphore<>& s) {
    while (!s.try_acquire()) {
    }
  };
  const jostle::Result r = check([wait] {
    std::counting_semaphore<> s(0);
    std::thread t([&] { s.release(); });
    wait(s);
    t.join();
  });
  EXPECT_TRUE(r.complete) << r.incomplete << r.report;
  const jostle::Result never = check([wait] {
    std::counting_semaphore<> s(0);
    std::thread t([&] { wait(s); });
    t.join();
  });
  ASSERT_EQ(never.findings.size(), 1u);
  EXPECT_EQ(never.findings[0].kind, "livelock");
}

TEST(Polling, ForNothingIsALivelock) {
  const jostle::Result r = check([] {
    const bool done = false;
    std::thread t([&] { poll(g_m, done); });
    t.join();
  });
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].kind, "livelock");
}

// Whoever polls a lock that is never given back does not spin.
TEST(Polling, OfALockThatIsKept) {
  const jostle::Result r = check([] {
    std::mutex own;
    bool done = false;
    own.lock();
    std::thread t([&] { poll(g_m, done); });
    std::lock_guard guard(g_m);
    own.lock();
  });
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].kind, "deadlock");
}

// Each turn of one may meet each turn of the other, without end. Within a bound there is one: of
// preemptions, or of the turns themselves.
void back_off() {
  std::mutex a, b;
  int x = 0;
  const auto work = [&x](std::mutex& first, std::mutex& second) {
    std::scoped_lock lock(first, second);
    ++x;
  };
  std::thread t([&] { work(a, b); });
  work(b, a);
  t.join();
  JOSTLE_ASSERT(x == 2);
}

TEST(Polling, BackingOffWithFewPreemptions) {
  jostle::Options o;
  o.quiet = true;
  o.preemptions = "3";
  o.retries = 10;
  o.output = testing::TempDir() + "/jostle-check";
  const jostle::Result r = jostle::check(back_off, o);
  EXPECT_TRUE(r.complete) << r.incomplete;
  o.reduction = jostle::Options::Reduction::none;
  const jostle::Result all = jostle::check(back_off, o);
  EXPECT_TRUE(all.complete) << all.incomplete;
  EXPECT_EQ(r.classes, all.classes);
}

TEST(Polling, BackingOff) {
  std::uint64_t fewer = 0;
  for (std::uint32_t retries = 0; retries <= 2; ++retries) {
    jostle::Options o;
    o.quiet = true;
    o.retries = retries;
    o.output = testing::TempDir() + "/jostle-check";
    const jostle::Result r = jostle::check(back_off, o);
    EXPECT_TRUE(r.complete) << r.incomplete;
    EXPECT_NE(r.guarantee.find("takes back <= " + std::to_string(retries)), std::string::npos)
        << r.guarantee;
    EXPECT_GT(r.executions, fewer);
    fewer = r.executions;
    o.priority = "rand";
    EXPECT_EQ(jostle::check(back_off, o).executions, r.executions);
    o.reduction = jostle::Options::Reduction::dpor;
    EXPECT_EQ(jostle::check(back_off, o).executions, r.executions);
  }
}

TEST(Polling, BackingOffFromThreeLocks) {
  std::set<std::uint64_t> counts;
  for (const char* priority : {"", "rand"}) {
    const jostle::Result r = check(
        [] {
          std::mutex a, b, c;
          std::thread t([&] { std::scoped_lock lock(a, b, c); });
          {
            std::scoped_lock lock(c, b, a);
          }
          t.join();
        },
        priority);
    EXPECT_TRUE(r.complete) << r.incomplete;
    EXPECT_EQ(r.blocked, 0u);
    counts.insert(r.executions);
  }
  EXPECT_EQ(counts.size(), 1u);
}

// One thread waits for neither lock: where it does not get the first it has nothing to give back,
// and where it gets that it has tried as well.
TEST(Polling, TryingBoth) {
  const auto body = [] {
    std::mutex a, b;
    int x = 0;
    const auto work = [&x](std::mutex& first, std::mutex& second) {
      for (;;) {
        if (!first.try_lock()) continue;
        if (second.try_lock()) break;
        first.unlock();
      }
      ++x;
      second.unlock();
      first.unlock();
    };
    std::thread t([&] { work(a, b); });
    {
      std::scoped_lock lock(b, a);
      ++x;
    }
    t.join();
    JOSTLE_ASSERT(x == 2);
  };
  jostle::Options o;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-check";
  const jostle::Result r = jostle::check(body, o);
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_EQ(r.blocked, 0u);
  o.priority = "rand";
  EXPECT_EQ(jostle::check(body, o).executions, r.executions);
  o.preemptions = "2";
  const jostle::Result few = jostle::check(body, o);
  o.reduction = jostle::Options::Reduction::none;
  const jostle::Result all = jostle::check(body, o);
  EXPECT_TRUE(all.complete) << all.incomplete;
  EXPECT_EQ(all.classes, few.classes);
}

// It takes so many turns, and no more are looked at but the one that goes beyond.
TEST(Polling, AsOftenAsTheBoundSays) {
  const auto body = [] {
    std::mutex a, b;
    std::thread t([&] {
      for (int i = 0; i < 5; ++i) {
        std::lock_guard second(b);
        std::lock_guard first(a);
      }
    });
    int failed = 0;
    for (;;) {
      a.lock();
      const bool got = b.try_lock();
      a.unlock();
      if (got) break;
      JOSTLE_ASSERT(++failed < 4);
    }
    b.unlock();
    t.join();
  };
  jostle::Options o;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-check";
  EXPECT_TRUE(jostle::check(body, o).complete);
  o.retries = 2;
  const jostle::Result r = jostle::check(body, o);
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

// Who tries for ever, because nobody else can go on, is not beyond a bound: that is a livelock.
template <class F>
void expect_livelock(F body) {
  for (const std::uint32_t retries : {0u, 1u, 3u})
    for (const char* strategy : {"check", "dfs"}) {
      jostle::Options o;
      o.quiet = true;
      o.retries = retries;
      o.strategy = strategy;
      o.output = testing::TempDir() + "/jostle-check";
      const jostle::Result r = jostle::run(body, o);
      ASSERT_EQ(r.findings.size(), 1u) << strategy << " " << retries << "\n" << r.report;
      EXPECT_EQ(r.findings[0].kind, "livelock");
      EXPECT_TRUE(r.findings[0].confirmed) << r.report;
    }
}

template <class Try>
void back_off_until(std::mutex& own, Try other) {
  for (;;) {
    std::lock_guard guard(own);
    if (other()) break;
  }
}

TEST(Polling, BackingOffForEver) {
  expect_livelock([] {
    std::mutex own, kept;
    kept.lock();
    std::thread t([&] { back_off_until(own, [&] { return kept.try_lock(); }); });
    t.join();
  });
  expect_livelock([] {
    std::mutex own;
    std::shared_mutex kept;
    kept.lock();
    std::thread t([&] { back_off_until(own, [&] { return kept.try_lock_shared(); }); });
    t.join();
  });
  expect_livelock([] {
    std::mutex own, kept;
    kept.lock();
    std::thread t([&] {
      while (!own.try_lock() || !kept.try_lock()) own.unlock();
    });
    t.join();
  });
}

// It depends on who comes first whether the lock is given back.
TEST(Polling, BackingOffFromALockThatIsForgotten) {
  expect_livelock([] {
    std::mutex own, other;
    std::atomic<bool> done = false;
    std::thread a([&] {
      back_off_until(own, [&] { return other.try_lock(); });
      done = true;
      other.unlock();
    });
    std::thread b([&] {
      other.lock();
      if (done) other.unlock();
    });
    a.join();
    b.join();
  });
}

// A lock that is only given back after more turns than are looked at: nothing is promised.
TEST(Polling, NothingWithinTheBound) {
  const auto body = [] {
    std::mutex own, other;
    std::atomic<bool> told = false;
    other.lock();
    std::thread t([&] {
      int failed = 0;
      back_off_until(own, [&] {
        const bool got = other.try_lock();
        if (!got && ++failed == 2) told = true;
        return got;
      });
      other.unlock();
    });
    while (!told) {
    }
    other.unlock();
    t.join();
  };
  jostle::Options o;
  o.quiet = true;
  o.retries = 0;
  o.output = testing::TempDir() + "/jostle-check";
  const jostle::Result none = jostle::check(body, o);
  EXPECT_EQ(none.incomplete,
            "in every execution a thread takes back more turns of a loop than option retries "
            "allows (0), or sees the same at one place more than 20 times in a row");
  o.retries = 1;
  const jostle::Result some = jostle::check(body, o);
  EXPECT_TRUE(some.complete) << some.incomplete;
  EXPECT_GT(some.executions, 0u);
}

// The first turn is over when the other thread begins: only a later one can meet it.
TEST(Polling, LaterTurnsMeetOthers) {
  const auto body = [](bool tries) {
    return [tries] {
      bool done = false;
      std::atomic<bool> began = false;
      std::thread t([&] {
        for (;;) {
          std::lock_guard first(g_m);
          std::lock_guard second(g_n);
          if (done) break;
          g_n.unlock();  // so that nobody knows before the turn is over
          g_m.unlock();
          if (!began) began = true;
          g_m.lock();
          g_n.lock();
        }
      });
      while (!began) {
      }
      if (tries) {
        const bool got = g_m.try_lock();
        if (got) g_m.unlock();
        std::lock_guard first(g_m);
        std::lock_guard second(g_n);
        done = true;
      } else {
        std::lock_guard second(g_n);
        std::lock_guard first(g_m);
        done = true;
      }
      t.join();
    };
  };
  const jostle::Result deadlocks = check(body(false));
  ASSERT_EQ(deadlocks.findings.size(), 1u) << deadlocks.report;
  EXPECT_EQ(deadlocks.findings[0].kind, "deadlock");
  const jostle::Result tries = check(body(true));
  EXPECT_FALSE(tries.complete);
  EXPECT_EQ(tries.incomplete,
            "the program tries to take a lock that another thread takes again and again");
}

// Loops that count never come back to where they were. Each number of looks in vain up to the bound
// is an execution of its own.
TEST(Polling, CountingItsTurns) {
  const jostle::Result looks = check([] {
    std::atomic<bool> done = false;
    std::atomic<int> turns = 0;
    std::thread t([&] { done = true; });
    while (!done) turns.fetch_add(1);
    t.join();
  });
  EXPECT_TRUE(looks.complete) << looks.incomplete;
  EXPECT_EQ(looks.executions, 22u);
  EXPECT_NE(looks.guarantee.find("the same at one place <= 20"), std::string::npos)
      << looks.guarantee;

  const jostle::Result tries = check([] {
    std::atomic<int> turns = 0;
    const auto take = [&] {
      while (!g_m.try_lock()) turns.fetch_add(1);
      g_m.unlock();
    };
    std::thread t(take);
    take();
    t.join();
  });
  EXPECT_TRUE(tries.complete) << tries.incomplete;
  EXPECT_EQ(tries.executions, 44u);
}

// A loop with an end that reads what nobody changes is no reason to cut anything, whoever else can
// go on meanwhile.
TEST(Polling, ManyLooksAtWhatNobodyChanges) {
  static constexpr int kTimes = 50;
  const auto read = [](const std::atomic<int>& what) {
    volatile int sum = 0;
    for (int i = 0; i < kTimes; ++i) sum = sum + what;
  };
  const auto one = [&] {
    std::atomic<int> a = 0;
    std::thread t([&] { a = 1; });
    t.join();
    read(a);
  };
  const auto beside_another = [&] {
    std::atomic<int> a = 0, b = 0;
    std::thread t([&] { read(a); });
    std::thread u([&] { b = 1; });
    t.join();
    u.join();
  };
  const auto two = [&] {
    std::atomic<int> a = 0;
    std::thread t([&] { read(a); });
    std::thread u([&] { read(a); });
    t.join();
    u.join();
  };
  const auto failing_exchanges = [] {
    std::atomic<int> a = 1;
    std::thread t([&] {
      for (int i = 0; i < kTimes; ++i) {
        int expected = i + 10;
        a.compare_exchange_strong(expected, 5);
      }
    });
    t.join();
  };
  for (const std::function<void()>& body :
       {std::function<void()>(one), {beside_another}, {two}, {failing_exchanges}})
    for (const char* priority : {"", "rand"}) {
      const jostle::Result r = check(body, priority);
      EXPECT_TRUE(r.complete) << r.incomplete;
      EXPECT_EQ(r.executions, 1u);
    }
}

TEST(Polling, CountingWhileBackingOff) {
  const jostle::Result r = check([] {
    std::atomic<int> turns = 0;
    const auto both = [&](std::mutex& first, std::mutex& second) {
      for (;;) {
        std::lock_guard guard(first);
        if (second.try_lock()) break;
        turns.fetch_add(1);
      }
      second.unlock();
    };
    std::thread t([&] { both(g_m, g_n); });
    both(g_n, g_m);
    t.join();
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
}

// Each of three waits takes 0 to 21 looks. Who is held back is somebody to wait for.
TEST(Polling, CountingWhileTakingTurns) {
  const jostle::Result r = check([] {
    std::atomic<int> whose = 0;
    const auto take = [&](int me) {
      for (int i = 0; i < 2; ++i) {
        for (int looks = 0; whose != me; ++looks)
          if (looks % 8 == 7) std::this_thread::yield();
        whose = 1 - me;
      }
    };
    std::thread first(take, 0), second(take, 1);
    first.join();
    second.join();
  });
  EXPECT_TRUE(r.findings.empty()) << r.report;
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_EQ(r.executions, 22u * 22 * 22);
}

// Nor is time that has to pass.
TEST(Polling, CountingWhileOthersSleep) {
  const jostle::Result r = check([] {
    std::atomic<bool> done = false;
    std::atomic<int> turns = 0;
    std::thread t([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = true;
    });
    while (!done) turns.fetch_add(1);
    t.join();
  });
  EXPECT_TRUE(r.findings.empty()) << r.report;
  EXPECT_TRUE(r.complete) << r.incomplete;
}

TEST(Polling, CountingForEver) {
  const jostle::Result r = check([] {
    std::atomic<bool> done = false;
    std::atomic<int> turns = 0;
    std::thread t([&] { done = turns == 3; });
    while (!done) turns.fetch_add(1);
    t.join();
  });
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "livelock");
}

// However often, it ends.
TEST(Polling, CountingToALimit) {
  const jostle::Result r = check([] {
    std::atomic<bool> done = false;
    std::thread t([&] { done = true; });
    for (int i = 0; i < 500 && !done; ++i) {
    }
    t.join();
  });
  EXPECT_TRUE(r.complete) << r.incomplete;
  EXPECT_TRUE(r.findings.empty()) << r.report;

  const jostle::Result alone = check([] {
    std::atomic<bool> never = false;
    std::thread([] {}).join();
    for (int i = 0; i < 150'000 && !never; ++i) {
    }
  });
  EXPECT_TRUE(alone.complete) << alone.incomplete;
  EXPECT_TRUE(alone.findings.empty()) << alone.report;
}

}  // namespace

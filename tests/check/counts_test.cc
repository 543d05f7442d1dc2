// Numbers of executions that are known: from combinatorics, or from other model checkers.
#include <gtest/gtest.h>

#include <atomic>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using jostle::Options;
using jostle::Result;

// Under several orders of search, all of which have to agree.
std::vector<Options> searches() {
  std::vector<Options> all(1);
  for (const char* p : {"pb", "rand", "mdpor,rand"}) {
    all.emplace_back();
    all.back().priority = p;
  }
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    all.emplace_back();
    all.back().priority = "rand";
    all.back().seed = seed;
  }
  all.emplace_back();
  all.back().jobs = 2;
  all.emplace_back();
  all.back().jobs = 2;
  all.back().priority = "rand";
  return all;
}

// `loops`: it starts again when it sees that a thread looks at the same again and again.
template <class F>
void expect_count(F body, std::uint64_t count, bool loops = false) {
  for (const Options& o : searches()) {
    const Result r = jostle::check(body, o);
    EXPECT_TRUE(r.ok()) << r.report;
    EXPECT_TRUE(r.complete) << r.report;
    EXPECT_EQ(r.executions, count)
        << "priority " << o.priority << " seed " << o.seed << " jobs " << o.jobs;
    EXPECT_EQ(r.blocked, 0u) << "priority " << o.priority << " seed " << o.seed;
    if (!loops) EXPECT_EQ(r.executions_total, count);
  }
}

template <class F>
void in_threads(int n, F f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([=] { f(i); });
  for (std::thread& t : threads) t.join();
}

std::uint64_t factorial(int n) {
  return n <= 1 ? 1 : static_cast<std::uint64_t>(n) * factorial(n - 1);
}

TEST(Counts, OneUpdateEach) {
  for (int n = 1; n <= 5; ++n)
    expect_count(
        [n] {
          std::atomic<int> x = 0;
          in_threads(n, [&](int) { x.fetch_add(1); });
          JOSTLE_ASSERT(x == n);
        },
        factorial(n));
}

// The example with which the authors of optimal DPOR tell it from source sets: one thread looks for
// the last zero of an array that the others fill, each element from the one before it.
TEST(Counts, LastZero) {
  for (int n = 2; n <= 6; ++n)
    expect_count(
        [n] {
          std::atomic<int> a[8] = {};
          in_threads(n + 1, [&](int i) {
            if (i > 0) {
              a[i] = a[i - 1].load() + 1;
              return;
            }
            int last = n;
            while (last > 0 && a[last].load() != 0) --last;
          });
        },
        (static_cast<std::uint64_t>(n) + 3) << (n - 2), true);
}

TEST(Counts, OneLockEach) {
  for (int n = 1; n <= 5; ++n)
    expect_count(
        [n] {
          std::mutex m;
          int x = 0;
          in_threads(n, [&](int) {
            const std::lock_guard lock(m);
            ++x;
          });
          JOSTLE_ASSERT(x == n);
        },
        factorial(n));
}

void lock_repeatedly(int threads, int times, std::uint64_t count) {
  expect_count(
      [=] {
        std::mutex m;
        int x = 0;
        in_threads(threads, [&](int) {
          for (int i = 0; i < times; ++i) {
            const std::lock_guard lock(m);
            ++x;
          }
        });
        JOSTLE_ASSERT(x == threads * times);
      },
      count);
}

TEST(Counts, TwoThreadsLockRepeatedly) {
  const std::uint64_t binomials[] = {1, 2, 6, 20, 70, 252, 924};
  for (int k = 1; k <= 6; ++k) lock_repeatedly(2, k, binomials[k]);
}
TEST(Counts, ThreeThreadsLockTwice) { lock_repeatedly(3, 2, 90); }
TEST(Counts, ThreeThreadsLockThrice) { lock_repeatedly(3, 3, 1680); }
TEST(Counts, FourThreadsLockTwice) { lock_repeatedly(4, 2, 2520); }

TEST(Counts, CompareExchangesInRotation) {
  const std::uint64_t counts[] = {0, 1, 2, 5, 14, 43, 144, 523, 2048, 8597};
  for (int n = 2; n <= 9; ++n)
    expect_count(
        [n] {
          std::atomic<int> x = 0;
          in_threads(n, [&](int i) {
            int expected = i;
            x.compare_exchange_strong(expected, i + 1);
          });
        },
        counts[n]);
}

TEST(Counts, OneWriterManyReaders) {
  for (int n = 1; n <= 6; ++n)
    expect_count(
        [n] {
          std::atomic<int> x = 0;
          in_threads(n + 1, [&](int i) {
            if (i == 0)
              x = 1;
            else
              (void)x.load();
          });
        },
        std::uint64_t{1} << n);
}

// Each takes the fork with the smaller number first.
TEST(Counts, Philosophers) {
  const std::uint64_t counts[] = {0, 0, 0, 6, 14, 30, 62};
  for (int n = 3; n <= 6; ++n)
    expect_count(
        [n] {
          std::vector<std::mutex> fork(static_cast<std::size_t>(n));
          in_threads(n, [&](int i) {
            const int a = i, b = (i + 1) % n;
            const std::lock_guard first(fork[static_cast<std::size_t>(std::min(a, b))]);
            const std::lock_guard second(fork[static_cast<std::size_t>(std::max(a, b))]);
          });
        },
        counts[n]);
}

}  // namespace

// What reports say about who waits for whom.
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

void expect_says(const jostle::Result& r, const std::string& text) {
  ASSERT_FALSE(r.findings.empty());
  EXPECT_EQ(r.findings[0].kind, "deadlock");
  // As one line: where lines are broken depends on the names of files.
  std::string report;
  for (const char c : r.findings[0].report)
    if (c != '\n' && c != ' ')
      report += c;
    else if (!report.empty() && report.back() != ' ')
      report += ' ';
  EXPECT_NE(report.find(text), std::string::npos) << text << "\n" << r.report;
}

TEST(Deadlock, AReaderHoldsTheLock) {
  const auto r = jostle::run(
      [] {
        std::shared_mutex table;
        std::mutex log;
        std::thread other([&] { std::shared_lock lock(table); });
        std::thread t([&] {
          std::shared_lock a(table);
          std::lock_guard b(log);
        });
        {
          std::lock_guard b(log);
          std::unique_lock a(table);
        }
        t.join();
        other.join();
      },
      quick(2000));
  expect_says(r, "T0 and T2 wait for each other in a cycle");
  expect_says(r, "held by T2 for reading, taken at deadlock_test.cc");
  expect_says(r, "T2 takes `table` for reading at");
}

TEST(Deadlock, AReaderWantsToWrite) {
  const auto r = jostle::run(
      [] {
        std::shared_mutex m;
        std::thread other([&] { std::shared_lock lock(m); });
        m.lock_shared();
        m.lock();
        other.join();
      },
      quick(20));
  expect_says(r, "T0 waits for a lock that it holds itself");
  expect_says(r, "it holds that itself for reading, taken at deadlock_test.cc");
  expect_says(r, "T0 takes `m` for reading at");
}

TEST(Deadlock, AWriterComesFirst) {
  const auto r = jostle::run(
      [] {
        pthread_rwlockattr_t attributes;
        pthread_rwlockattr_init(&attributes);
        pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
        pthread_rwlock_t m;
        pthread_rwlock_init(&m, &attributes);
        std::thread writer([&] {
          pthread_rwlock_wrlock(&m);
          pthread_rwlock_unlock(&m);
        });
        for (int i = 0; i < 2; ++i) pthread_rwlock_rdlock(&m);
        for (int i = 0; i < 2; ++i) pthread_rwlock_unlock(&m);
        writer.join();
      },
      quick(2000));
  expect_says(r, "T0 and T1 wait for each other in a cycle");
  expect_says(r, "T1 waits to write, and comes first");
}

// One condition for those who put and those who take: a signal wakes the wrong one.
TEST(Deadlock, ASignalWakesSomebodyElse) {
  const auto r = jostle::run(
      [] {
        std::mutex m;
        std::condition_variable cv;
        int turn = 0;
        auto wait_for = [&](int mine) {
          std::unique_lock lock(m);
          cv.wait(lock, [&] { return turn == mine; });
        };
        std::thread a(wait_for, 1), b(wait_for, 2);
        {
          std::lock_guard lock(m);
          turn = 2;
          cv.notify_one();
        }
        b.join();
        {
          std::lock_guard lock(m);
          turn = 1;
          cv.notify_one();
        }
        a.join();
      },
      quick(2000));
  expect_says(r, "T1 and T2 wait for something that nobody left can bring about");
  expect_says(r, "the last signal woke T1, which waits again: by T0");
}

}  // namespace

// Counting words in parallel: chunks are taken from an atomic cursor, a table has striped locks,
// and who is done early helps to merge.
#include <atomic>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

constexpr int kChunks = 4, kWords = 3, kStripes = 2;
constexpr int kText[kChunks][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 1}};

void count() {
  std::atomic<int> cursor{0}, merged{0};
  std::mutex stripes[kStripes];
  int table[kWords] = {};
  std::atomic<int> most{0};
  const auto work = [&] {
    for (int c; (c = cursor.fetch_add(1)) < kChunks;)
      for (const int word : kText[c]) {
        int n;
        {
          const std::lock_guard lock(stripes[word % kStripes]);
          n = ++table[word];
        }
        for (int seen = most.load(); seen < n && !most.compare_exchange_strong(seen, n);) {
        }
      }
    for (int s; (s = merged.fetch_add(1)) < kStripes;) {
      const std::lock_guard lock(stripes[s]);
      for (int w = s; w < kWords; w += kStripes)
        if (table[w] == most.load()) table[w] = -table[w];
    }
  };
  std::thread a(work), b(work);
  work();
  a.join();
  b.join();
}

const jostle_bench::CoverSubject kSubject("word count", &count);

}  // namespace

// The kernel of a parallel radix sort: histograms of each thread are added to a common one under a
// lock per digit, whoever comes last computes the offsets, and keys are moved with atomic cursors.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

constexpr int kKeys = 6, kDigits = 2, kThreads = 3;

void radix() {
  int keys[kKeys] = {3, 0, 2, 1, 1, 3}, sorted[kKeys] = {};
  std::mutex locks[kDigits], gate;
  std::condition_variable all;
  int counts[kDigits] = {}, arrived = 0, phase = 0;
  std::atomic<int> cursor[kDigits] = {};
  const auto meet = [&](auto last) {
    std::unique_lock lock(gate);
    const int mine = phase;
    if (++arrived == kThreads) {
      last();
      arrived = 0;
      ++phase;
      all.notify_all();
    } else {
      while (phase == mine) all.wait(lock);
    }
  };
  const auto sort = [&](int id) {
    const int from = id * kKeys / kThreads, to = (id + 1) * kKeys / kThreads;
    for (int bit = 0; bit < 2; ++bit) {
      int own[kDigits] = {};
      for (int i = from; i < to; ++i) ++own[keys[i] >> bit & 1];
      for (int d = 0; d < kDigits; ++d) {
        if (own[d] == 0) continue;
        const std::lock_guard lock(locks[d]);
        counts[d] += own[d];
      }
      meet([&] {
        cursor[0].store(0);
        cursor[1].store(counts[0]);
        counts[0] = counts[1] = 0;
      });
      for (int i = from; i < to; ++i) sorted[cursor[keys[i] >> bit & 1].fetch_add(1)] = keys[i];
      meet([&] {
        for (int i = 0; i < kKeys; ++i) keys[i] = sorted[i];
      });
    }
  };
  std::thread a([&] { sort(1); }), b([&] { sort(2); });
  sort(0);
  a.join();
  b.join();
}

const jostle_bench::CoverSubject kSubject("radix sort", &radix);

}  // namespace

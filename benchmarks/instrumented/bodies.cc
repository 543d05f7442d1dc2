#include "benchmarks/instrumented/bodies.h"

#include <jostle/jostle.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace jostle_bench {

namespace {

void three_threads_lock(int times) {
  std::mutex m;
  int count = 0;
  auto work = [&] {
    for (int i = 0; i < times; ++i) {
      std::lock_guard lock(m);
      ++count;
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  JOSTLE_ASSERT(count == 3 * times);
}

}  // namespace

void three_threads_two_locks() { three_threads_lock(2); }
void three_threads_three_locks() { three_threads_lock(3); }
void three_threads_four_locks() { three_threads_lock(4); }

void two_threads_ten_locks() {
  std::mutex m;
  auto work = [&] {
    for (int i = 0; i < 10; ++i) {
      m.lock();
      m.unlock();
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

void allocating_threads() {
  std::mutex m;
  std::vector<std::unique_ptr<int>> blocks;
  auto work = [&] {
    for (int i = 0; i < 4; ++i) {
      auto block = std::make_unique<int>(i);
      std::lock_guard lock(m);
      blocks.push_back(std::move(block));
      if (blocks.size() > 3) blocks.erase(blocks.begin());
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

void pointing_threads() {
  auto work = [] {
    for (int i = 0; i < kPoints; ++i) jostle_point();
  };
  std::thread a(work);
  work();
  a.join();
}

void counting_threads() {
  std::atomic<int> count{0};
  auto work = [&] {
    for (int i = 0; i < kPoints; ++i) count.fetch_add(1);
  };
  std::thread a(work);
  work();
  a.join();
}

void two_threads_that_access() {
  const auto access = [n = g_accesses / 2] {
    for (int i = 0; i < n; ++i) g_accessed = i;
  };
  std::thread a(access), b(access);
  a.join();
  b.join();
}

double points_cost(int n) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < n; ++i) JOSTLE_POINT(1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / n;
}

}  // namespace jostle_bench

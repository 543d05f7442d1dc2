// Two hundred threads, all alive together until the last one has started.
// RUN: executions=50
// CHECK: it has too many schedules to execute all of them here
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  constexpr int kThreads = 200;
  std::mutex m;
  std::condition_variable c;
  int started = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      std::unique_lock<std::mutex> lock(m);
      if (++started == kThreads) c.notify_all();
      c.wait(lock, [&] { return started == kThreads; });
    });
  }
  for (auto& t : threads) t.join();
  assert(started == kThreads);
}

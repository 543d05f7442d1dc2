// After SCTBench sync01_bad: the producer signals before it changes the count, outside the lock.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable full;
  int num = 0;
  std::thread consumer([&] {
    std::unique_lock<std::mutex> lock(m);
    while (num == 0) full.wait(lock);
    --num;
  });
  std::thread producer([&] {
    full.notify_one();
    std::lock_guard<std::mutex> lock(m);
    ++num;
  });
  consumer.join();
  producer.join();
}

// After SCTBench sync02_bad: the producer signals only when the buffer was empty, but there are
// two consumers waiting.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex m;
  std::condition_variable full;
  int num = 0;
  auto consume = [&] {
    std::unique_lock<std::mutex> lock(m);
    while (num == 0) full.wait(lock);
    --num;
  };
  std::thread c1(consume), c2(consume);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> lock(m);
    if (num++ == 0) full.notify_one();
  }
  c1.join();
  c2.join();
}

// A block is allocated by one thread and freed by another, handed over under a mutex.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable c;
  int* box = nullptr;
  std::thread consumer([&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock<std::mutex> lock(m);
      c.wait(lock, [&] { return box != nullptr; });
      assert(*box == i);
      delete box;
      box = nullptr;
      c.notify_all();
    }
  });
  for (int i = 0; i < 3; ++i) {
    std::unique_lock<std::mutex> lock(m);
    c.wait(lock, [&] { return box == nullptr; });
    box = new int(i);
    c.notify_all();
  }
  consumer.join();
}

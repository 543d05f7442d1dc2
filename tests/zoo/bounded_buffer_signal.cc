// A bounded buffer with one condition variable and notify_one: a producer's signal wakes another
// producer. Known from Lamport's and Beust's "bounded buffer puzzle".
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Buffer {
  std::mutex m;
  std::condition_variable c;
  int count = 0;
  void Put() {
    std::unique_lock<std::mutex> lock(m);
    while (count == 1) c.wait(lock);
    ++count;
    c.notify_one();
  }
  void Take() {
    std::unique_lock<std::mutex> lock(m);
    while (count == 0) c.wait(lock);
    --count;
    c.notify_one();
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Buffer buffer;
  std::thread c1([&] { buffer.Take(); });
  std::thread c2([&] { buffer.Take(); });
  std::thread p([&] {
    buffer.Put();
    buffer.Put();
  });
  c1.join();
  c2.join();
  p.join();
}

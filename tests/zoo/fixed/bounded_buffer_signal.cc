// bounded_buffer_signal with notify_all.
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
    c.notify_all();
  }
  void Take() {
    std::unique_lock<std::mutex> lock(m);
    while (count == 0) c.wait(lock);
    --count;
    c.notify_all();
  }
};

}  // namespace

JOSTLE_CASE("pass") {
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
  assert(buffer.count == 0);
}

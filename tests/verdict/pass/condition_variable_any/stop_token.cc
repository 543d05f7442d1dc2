// A wait with a stop token ends by the predicate or by the stop, and says which.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable_any c;
  bool ready = false;
  std::stop_source source;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> lock(m);
    bool ok = c.wait(lock, source.get_token(), [&] { return ready; });
    assert(ok == ready);
    assert(ok || source.stop_requested());
  });
  std::thread setter([&] {
    std::lock_guard<std::mutex> lock(m);
    ready = true;
    c.notify_one();
  });
  source.request_stop();
  waiter.join();
  setter.join();
}

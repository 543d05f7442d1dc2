// MySQL bug 791: while the binary log is rotated it is closed for a moment; a query that looks
// then is not logged.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Log {
  std::mutex m;
  std::atomic<bool> open{true};
  int events = 0;
  void Rotate() {
    std::lock_guard<std::mutex> lock(m);
    open.store(false);
    open.store(true);
  }
  void Write() {
    if (!open.load()) return;  // tested without the lock
    std::lock_guard<std::mutex> lock(m);
    ++events;
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Log log;
  std::thread query([&] { log.Write(); });
  log.Rotate();
  query.join();
  assert(log.events == 1);
}

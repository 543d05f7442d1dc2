// A ticket lock whose unlock serves the newest ticket instead of the next one: whoever drew a
// ticket meanwhile is never served.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct TicketLock {
  std::atomic<int> next{0}, serving{0};
  void Lock() {
    int mine = next.fetch_add(1);
    while (serving.load() != mine) std::this_thread::yield();
  }
  void Unlock() { serving.store(next.load()); }
};

}  // namespace

JOSTLE_CASE("livelock") {
  TicketLock lock;
  auto work = [&] {
    lock.Lock();
    lock.Unlock();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

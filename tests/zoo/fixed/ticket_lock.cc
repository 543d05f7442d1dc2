// ticket_lock that serves the next ticket.
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
  void Unlock() { serving.fetch_add(1); }
};

}  // namespace

JOSTLE_CASE("pass") {
  TicketLock lock;
  int counter = 0;
  auto work = [&] {
    lock.Lock();
    ++counter;
    lock.Unlock();
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  assert(counter == 3);
}

// The address of a thread_local is used by another thread without synchronisation.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

thread_local int local;

}  // namespace

JOSTLE_CASE("race") {
  std::atomic<int*> address{nullptr};
  std::atomic<bool> done{false};
  std::thread a([&] {
    local = 0;
    address.store(&local);
    local = 1;
    while (!done.load()) std::this_thread::yield();
  });
  int* p;
  while (!(p = address.load())) std::this_thread::yield();
  int seen = *p;
  done.store(true);
  a.join();
  assert(seen == 0 || seen == 1);
}

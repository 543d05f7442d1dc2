// Two doctors each see the other on call and both sign off (write skew of snapshot isolation).
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m[2];
  bool on_call[2] = {true, true};
  auto sign_off = [&](int me) {
    m[1 - me].lock();
    bool other = on_call[1 - me];
    m[1 - me].unlock();
    if (!other) return;
    std::lock_guard<std::mutex> lock(m[me]);
    on_call[me] = false;
  };
  std::thread a(sign_off, 0), b(sign_off, 1);
  a.join();
  b.join();
  assert(on_call[0] || on_call[1]);
}

// After Mozilla's JS engine: the last context going away frees the atoms, while a new context
// that saw "state is up" skips initialising them.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Runtime {
  std::mutex m;
  int contexts = 1;
  bool atoms = true;
};

}  // namespace

JOSTLE_CASE("assertion") {
  Runtime rt;
  std::thread destroy([&] {
    rt.m.lock();
    bool last = --rt.contexts == 0;
    rt.m.unlock();
    if (!last) return;
    std::lock_guard<std::mutex> lock(rt.m);
    rt.atoms = false;  // without looking at contexts again
  });
  std::thread create([&] {
    {
      std::lock_guard<std::mutex> lock(rt.m);
      ++rt.contexts;
      if (!rt.atoms) rt.atoms = true;
    }
    std::lock_guard<std::mutex> lock(rt.m);
    assert(rt.atoms);
  });
  destroy.join();
  create.join();
}

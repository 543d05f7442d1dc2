// The reference count idiom: relaxed increments, acq_rel decrements, the last one deletes.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Object {
  std::atomic<int> refs{1};
  int value = 0;
};

}  // namespace

JOSTLE_CASE("pass") {
  auto* object = new Object;
  auto drop = [object] {
    if (object->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
  };
  object->refs.fetch_add(2, std::memory_order_relaxed);
  object->value = 1;
  auto use = [&] {
    assert(object->value == 1);
    drop();
  };
  std::thread a(use), b(use);
  drop();
  a.join();
  b.join();
}

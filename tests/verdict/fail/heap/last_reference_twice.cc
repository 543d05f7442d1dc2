// A reference count decremented with load and store: both owners believe to be the last.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Object {
  std::atomic<int> refs{2};
};

}  // namespace

JOSTLE_CASE("heap") {
  auto* object = new Object;
  auto drop = [object] {
    int left = object->refs.load() - 1;
    object->refs.store(left);
    if (object->refs.load() <= 0) delete object;
  };
  std::thread a(drop), b(drop);
  a.join();
  b.join();
}

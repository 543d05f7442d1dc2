// refcount_uaf with the result of the decrement.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Object {
  std::atomic<int> refs{2};
};

}  // namespace

JOSTLE_CASE("pass") {
  auto* object = new Object;
  auto release = [object] {
    if (object->refs.fetch_sub(1) == 1) delete object;
  };
  std::thread a(release), b(release);
  a.join();
  b.join();
}

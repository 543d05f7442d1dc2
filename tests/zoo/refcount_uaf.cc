// The count is decremented and then read again: another owner can be the last in between, and
// frees the object first.
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
  auto release = [object] {
    object->refs.fetch_sub(1);
    if (object->refs.load() == 0) delete object;
  };
  std::thread a(release), b(release);
  a.join();
  b.join();
}

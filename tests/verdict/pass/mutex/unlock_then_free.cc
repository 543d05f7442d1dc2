// The last user of an object unlocks its mutex and frees the object: allowed by POSIX as soon as
// the mutex is unlocked and nobody else will use it.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Object {
  std::mutex m;
  int refs = 2;
};

}  // namespace

JOSTLE_CASE("pass") {
  auto* object = new Object;
  auto drop = [object] {
    object->m.lock();
    bool last = --object->refs == 0;
    object->m.unlock();
    if (last) delete object;
  };
  std::thread t(drop);
  drop();
  t.join();
}

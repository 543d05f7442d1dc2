// shared_ptr copies die in different threads; the object dies once, after all uses.
#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Object {
  int value = 1;
  std::atomic<int>* deaths;
  explicit Object(std::atomic<int>* d) : deaths(d) {}
  ~Object() {
    value = 0;
    deaths->fetch_add(1);
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  std::atomic<int> deaths{0};
  {
    auto p = std::make_shared<Object>(&deaths);
    std::weak_ptr<Object> weak = p;
    std::thread a([q = p] { assert(q->value == 1); });
    std::thread b([w = weak] {
      if (auto q = w.lock()) assert(q->value == 1);
    });
    p.reset();
    a.join();
    b.join();
    assert(weak.expired());
  }
  assert(deaths.load() == 1);
}

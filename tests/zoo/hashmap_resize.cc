// A hash map copies its table to a bigger one and then switches; an insert that goes to the old
// table during the copy is lost.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Map {
  std::atomic<int> small[2];
  std::atomic<int> big[4];
  std::atomic<bool> use_big{false};
  Map() {
    for (auto& slot : small) slot = 0;
    for (auto& slot : big) slot = 0;
  }
  void Insert(int key) {
    if (use_big.load()) {
      big[key].store(1);
    } else {
      small[key].store(1);
    }
  }
  void Resize() {
    for (int key = 0; key < 2; ++key) big[key].store(small[key].load());
    use_big.store(true);
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Map map;
  std::thread resizer([&] { map.Resize(); });
  map.Insert(1);
  resizer.join();
  assert(map.big[1].load() == 1);
}

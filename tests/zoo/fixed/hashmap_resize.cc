// hashmap_resize with inserts shut out by a shared mutex.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Map {
  std::shared_mutex m;
  std::atomic<int> small[2];
  std::atomic<int> big[4];
  bool use_big = false;
  Map() {
    for (auto& slot : small) slot = 0;
    for (auto& slot : big) slot = 0;
  }
  void Insert(int key) {
    std::shared_lock<std::shared_mutex> lock(m);
    if (use_big) {
      big[key].store(1);
    } else {
      small[key].store(1);
    }
  }
  void Resize() {
    std::unique_lock<std::shared_mutex> lock(m);
    for (int key = 0; key < 2; ++key) big[key].store(small[key].load());
    use_big = true;
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Map map;
  std::thread resizer([&] { map.Resize(); });
  std::thread other([&] { map.Insert(0); });
  map.Insert(1);
  resizer.join();
  other.join();
  assert(map.big[0].load() == 1 && map.big[1].load() == 1);
}

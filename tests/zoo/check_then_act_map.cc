// "If the key is absent, insert": two locked operations, one unlocked decision.
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Map {
  std::mutex m;
  std::map<int, int> entries;
  bool Contains(int key) {
    std::lock_guard<std::mutex> lock(m);
    return entries.count(key) != 0;
  }
  void Insert(int key, int value) {
    std::lock_guard<std::mutex> lock(m);
    bool inserted = entries.emplace(key, value).second;
    assert(inserted);
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Map map;
  auto put_if_absent = [&](int value) {
    if (!map.Contains(1)) map.Insert(1, value);
  };
  std::thread a(put_if_absent, 10), b(put_if_absent, 20);
  a.join();
  b.join();
}

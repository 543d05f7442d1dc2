// check_then_act_map as one operation.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Map {
  std::mutex m;
  std::map<int, int> entries;
  bool PutIfAbsent(int key, int value) {
    std::lock_guard<std::mutex> lock(m);
    return entries.emplace(key, value).second;
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Map map;
  std::atomic<int> inserted{0};
  auto put = [&](int value) {
    if (map.PutIfAbsent(1, value)) inserted.fetch_add(1);
  };
  std::thread a(put, 10), b(put, 20);
  a.join();
  b.join();
  assert(inserted.load() == 1);
}

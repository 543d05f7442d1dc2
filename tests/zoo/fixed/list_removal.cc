// list_removal under a mutex.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Node {
  int next;
};

}  // namespace

JOSTLE_CASE("pass") {
  std::mutex m;
  Node nodes[4];
  for (int i = 0; i < 4; ++i) nodes[i].next = i + 1;
  auto remove = [&](int target) {
    std::lock_guard<std::mutex> lock(m);
    int before = 0;
    while (nodes[before].next != target) before = nodes[before].next;
    nodes[before].next = nodes[target].next;
  };
  std::thread a(remove, 1), b(remove, 2);
  a.join();
  b.join();
  assert(nodes[0].next == 3);
}

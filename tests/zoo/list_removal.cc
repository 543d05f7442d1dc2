// Two neighbours are removed from a linked list at once: the first removal writes through a node
// that the second one has unlinked, so a removed node stays reachable.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Node {
  std::atomic<int> next;
};

}  // namespace

JOSTLE_CASE("assertion") {
  Node nodes[4];  // 0 is the head, 3 the end
  for (int i = 0; i < 4; ++i) nodes[i].next = i + 1;
  auto remove = [&](int target) {
    int before = 0;
    for (int at; (at = nodes[before].next.load()) != target;) before = at;
    nodes[before].next.store(nodes[target].next.load());
  };
  std::thread a(remove, 1), b(remove, 2);
  a.join();
  b.join();
  assert(nodes[0].next.load() == 3);
}

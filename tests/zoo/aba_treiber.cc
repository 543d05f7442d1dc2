// ABA on a Treiber stack: head is A again, but A's next is not B any more. Nodes live in a fixed
// array, so the only symptom is that a node has two owners.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Stack {
  std::atomic<int> head{0};
  std::atomic<int> next[3];
  Stack() {
    next[0] = 1;
    next[1] = 2;
    next[2] = -1;
  }
  int Pop() {
    for (;;) {
      int h = head.load();
      if (h < 0) return -1;
      int n = next[h].load();
      if (head.compare_exchange_strong(h, n)) return h;
    }
  }
  void Push(int i) {
    int h = head.load();
    do {
      next[i].store(h);
    } while (!head.compare_exchange_strong(h, i));
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Stack stack;
  int owners[3] = {0, 0, 0};
  int mine = -1, kept = -1;
  std::thread a([&] { mine = stack.Pop(); });
  std::thread b([&] {
    int first = stack.Pop();
    kept = stack.Pop();
    stack.Push(first);
  });
  a.join();
  b.join();
  ++owners[mine];
  ++owners[kept];
  for (int i = 0; i < 3; ++i) {
    int node = stack.Pop();
    if (node < 0) break;
    ++owners[node];
  }
  for (int count : owners) assert(count == 1);
}

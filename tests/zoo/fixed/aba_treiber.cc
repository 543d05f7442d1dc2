// aba_treiber with a version number next to the head index.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Stack {
  std::atomic<unsigned> head{0};  // version << 8 | index, 255 is null
  std::atomic<int> next[3];
  Stack() {
    next[0] = 1;
    next[1] = 2;
    next[2] = 255;
  }
  int Pop() {
    for (;;) {
      unsigned h = head.load();
      int index = h & 255;
      if (index == 255) return -1;
      unsigned n = (h & ~255u) + 256 + static_cast<unsigned>(next[index].load());
      if (head.compare_exchange_strong(h, n)) return index;
    }
  }
  void Push(int i) {
    unsigned h = head.load();
    do {
      next[i].store(h & 255);
    } while (!head.compare_exchange_strong(h, (h & ~255u) + 256 + static_cast<unsigned>(i)));
  }
};

}  // namespace

JOSTLE_CASE("pass") {
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
  int node = stack.Pop();
  ++owners[node];
  assert(stack.Pop() == -1);
  for (int count : owners) assert(count == 1);
}

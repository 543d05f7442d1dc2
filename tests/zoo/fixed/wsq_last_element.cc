// wsq_last_element with the compare-and-swap for the last element.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Deque {
  std::atomic<int> top{0}, bottom{0};
  std::atomic<int> items[4];
  void Push(int v) {
    items[bottom.load()].store(v);
    bottom.fetch_add(1);
  }
  int Pop() {
    int b = bottom.load() - 1;
    bottom.store(b);
    int t = top.load();
    if (t < b) return items[b].load();
    int v = -1;
    if (t == b) {
      v = items[b].load();
      if (!top.compare_exchange_strong(t, t + 1)) v = -1;
      t = b + 1;
    }
    bottom.store(t);
    return v;
  }
  int Steal() {
    int t = top.load();
    if (t >= bottom.load()) return -1;
    int v = items[t].load();
    return top.compare_exchange_strong(t, t + 1) ? v : -1;
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Deque deque;
  std::atomic<int> taken[2] = {0, 0};
  deque.Push(0);
  deque.Push(1);
  auto count = [&](int v) {
    if (v >= 0) assert(taken[v].fetch_add(1) == 0);
  };
  std::thread thief([&] {
    count(deque.Steal());
    count(deque.Steal());
  });
  count(deque.Pop());
  count(deque.Pop());
  thief.join();
}

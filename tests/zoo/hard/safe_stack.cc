// Vyukov's SafeStack puzzle (also in SCTBench): an array-based lock-free stack that breaks with
// three threads and at least five preemptions.
// HARD: seen twice in roughly three million executions. Not among the tests: run it with
//   jostle_bench zoo, or as a case with executions=1000000.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/case.h"

namespace {

struct SafeStack {
  std::atomic<int> head{0}, count{3};
  std::atomic<int> next[3];
  SafeStack() {
    next[0] = 1;
    next[1] = 2;
    next[2] = -1;
  }
  int Pop() {
    for (int tries = 0; tries < 4 && count.load() > 1; ++tries) {
      int h = head.load();
      int n = next[h].exchange(-1);
      if (n >= 0) {
        int expected = h;
        if (head.compare_exchange_strong(expected, n)) {
          count.fetch_sub(1);
          return h;
        }
        next[h].exchange(n);
      }
    }
    return -1;
  }
  void Push(int i) {
    int h = head.load();
    do {
      next[i].store(h);
    } while (!head.compare_exchange_strong(h, i));
    count.fetch_add(1);
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  SafeStack stack;
  std::atomic<int> owner[3] = {-1, -1, -1};
  std::vector<std::thread> threads;
  for (int id = 0; id < 3; ++id) {
    threads.emplace_back([&, id] {
      for (int round = 0; round < 2; ++round) {
        int element = stack.Pop();
        if (element < 0) continue;
        owner[element].store(id);
        assert(owner[element].load() == id);
        stack.Push(element);
      }
    });
  }
  for (auto& t : threads) t.join();
}

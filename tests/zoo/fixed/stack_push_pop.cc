// stack_push_pop with test and pop in one critical section.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Stack {
  std::mutex m;
  int top = 0;
  int values[4];
  void Push(int v) {
    std::lock_guard<std::mutex> lock(m);
    values[top++] = v;
  }
  bool TryPop() {
    std::lock_guard<std::mutex> lock(m);
    if (top == 0) return false;
    --top;
    return true;
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Stack stack;
  std::atomic<int> popped{0};
  auto pop = [&] {
    if (stack.TryPop()) popped.fetch_add(1);
  };
  std::thread a(pop), b(pop);
  stack.Push(1);
  a.join();
  b.join();
  assert(popped.load() + stack.top == 1);
}

// SCTBench stack_bad: pop looks at the top under the lock in one critical section and takes it
// in another; two poppers underflow the stack.
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
  bool Empty() {
    std::lock_guard<std::mutex> lock(m);
    return top == 0;
  }
  int Pop() {
    std::lock_guard<std::mutex> lock(m);
    assert(top > 0);
    return values[--top];
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Stack stack;
  auto pop = [&] {
    if (!stack.Empty()) stack.Pop();
  };
  std::thread a(pop), b(pop);
  stack.Push(1);
  a.join();
  b.join();
}

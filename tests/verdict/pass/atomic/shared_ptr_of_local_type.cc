// std::atomic<std::shared_ptr> of libstdc++ 12 unlocks with a relaxed operation after a load, which
// its users can do nothing about. Debug information does not say whose functions these are if the
// type is local.
#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  struct Node {
    int value;
    std::shared_ptr<Node> next;
  };
  std::atomic<std::shared_ptr<Node>> head;
  const auto push = [&](int value) {
    auto node = std::make_shared<Node>(Node{value, head.load()});
    while (!head.compare_exchange_weak(node->next, node)) {
    }
  };
  std::thread other([&] { push(1); });
  push(2);
  other.join();
  int sum = 0;
  for (auto n = head.load(); n; n = n->next) sum += n->value;
  assert(sum == 3);
}

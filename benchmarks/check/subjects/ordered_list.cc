// A sorted list that is searched without its lock held throughout: removing looks first, then
// locks.
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class OrderedList {
 public:
  ~OrderedList() {
    while (head_) {
      Node* const n = head_;
      head_ = n->next;
      delete n;
    }
  }
  void insert(int value) {
    const std::lock_guard lock(mutex_);
    Node** at = &head_;
    while (*at && (*at)->value < value) at = &(*at)->next;
    *at = new Node{value, *at};
  }
  bool remove(int value) {
    Node* const n = find(value);
    if (!n) return false;
    {
      const std::lock_guard lock(mutex_);
      Node** at = &head_;
      while (*at && *at != n) at = &(*at)->next;
      if (*at)
        *at = n->next;
      else if (!kBroken)
        return false;  // somebody else has removed it since
    }
    delete n;
    return true;
  }

 private:
  struct Node {
    int value;
    Node* next;
  };
  Node* find(int value) {
    const std::lock_guard lock(mutex_);
    Node* n = head_;
    while (n && n->value != value) n = n->next;
    return n;
  }

  std::mutex mutex_;
  Node* head_ = nullptr;
};

template <bool kBroken, int kTail>
void test() {
  OrderedList<kBroken> list;
  Tally tally;
  for (int i = 0; i < 3; ++i) list.insert(i);
  auto remove = [&] {
    tally.add(list.remove(1) ? 1 : 0);
    for (int i = 0; i < kTail; ++i) list.insert(4 + i);
  };
  together(remove, remove, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == kTail + 1);
}

const Enlist enlist("ordered_list", "two threads remove, and free, the same node", "heap",
                    Lengths<14>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

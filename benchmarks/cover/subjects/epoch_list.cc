// A list that is read without locks; what is removed is freed when no reader can see it any more.
#include <atomic>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

struct Node {
  int key = 0;
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> freed{false};
};

class List {
 public:
  bool contains(int reader, int key) {
    announced_[reader].store(epoch_.load());
    bool found = false;
    for (Node* n = head_.load(); n; n = n->next.load())
      if (n->key == key) {
        found = !n->freed.load();
        break;
      }
    announced_[reader].store(0);
    return found;
  }
  void insert(Node& n) {
    const std::lock_guard lock(mutex_);
    n.next.store(head_.load());
    head_.store(&n);
  }
  void remove(int key) {
    Node* gone = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::atomic<Node*>* link = &head_;
      for (Node* n = link->load(); n; link = &n->next, n = link->load())
        if (n->key == key) {
          link->store(n->next.load());
          gone = n;
          break;
        }
    }
    if (!gone) return;
    const int now = epoch_.fetch_add(1) + 1;
    for (const auto& a : announced_) {
      const int seen = a.load();
      if (seen != 0 && seen < now) {
        const std::lock_guard lock(mutex_);
        retired_ = gone;  // later
        return;
      }
    }
    gone->freed.store(true);
  }

 private:
  std::atomic<Node*> head_{nullptr};
  std::atomic<int> epoch_{1}, announced_[2] = {};
  std::mutex mutex_;
  Node* retired_ = nullptr;
};

void epochs() {
  Node nodes[3];
  for (int i = 0; i < 3; ++i) nodes[i].key = i + 1;
  List l;
  l.insert(nodes[0]);
  std::thread r([&] {
    l.contains(0, 1);
    l.contains(0, 2);
  });
  std::thread w([&] {
    l.insert(nodes[1]);
    l.remove(1);
  });
  std::thread v([&] {
    l.insert(nodes[2]);
    if (l.contains(1, 2)) l.remove(2);
  });
  r.join();
  w.join();
  v.join();
}

const jostle_bench::CoverSubject kSubject("epoch list", &epochs);

}  // namespace

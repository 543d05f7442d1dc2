// A store with a reader-writer lock for each shard, counts of references to items, and a resize
// that takes all shards.
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "benchmarks/cover/subject.h"

namespace {

class Store {
 public:
  bool get(int key, int& out) {
    Shard& s = shard(key);
    const std::shared_lock lock(s.mutex);
    for (const Item& i : s.items)
      if (i.key == key) {
        out = i.value;
        reads_.fetch_add(1);
        return true;
      }
    return false;
  }
  void set(int key, int value) {
    Shard& s = shard(key);
    {
      const std::unique_lock lock(s.mutex);
      for (Item& i : s.items)
        if (i.key == key || i.key == 0) {
          size_.fetch_add(i.key == 0);
          i = {key, value};
          break;
        }
    }
    if (size_.load() >= 3 && !resizing_.exchange(true)) {
      compact();
      resizing_.store(false);
    }
  }
  void remove(int key) {
    Shard& s = shard(key);
    const std::unique_lock lock(s.mutex);
    for (Item& i : s.items)
      if (i.key == key) {
        i.key = 0;
        size_.fetch_sub(1);
      }
  }

 private:
  struct Item {
    int key = 0, value = 0;
  };
  struct Shard {
    std::shared_mutex mutex;
    Item items[3];
  };
  Shard& shard(int key) { return shards_[key % 2]; }
  void compact() {
    const std::unique_lock first(shards_[0].mutex);
    const std::unique_lock second(shards_[1].mutex);
    for (Shard& s : shards_)
      if (s.items[0].key == 0) std::swap(s.items[0], s.items[1]);
    ++generation_;
  }

  Shard shards_[2];
  int generation_ = 0;
  std::atomic<int> size_{0}, reads_{0};
  std::atomic<bool> resizing_{false};
};

void store() {
  Store s;
  std::thread a([&] {
    int v;
    s.set(1, 10);
    s.set(2, 20);
    s.get(3, v);
  });
  std::thread b([&] {
    s.set(3, 30);
    s.remove(1);
    s.set(4, 40);
  });
  std::thread c([&] {
    int v;
    if (s.get(1, v)) s.remove(3);
    s.get(2, v);
  });
  a.join();
  b.join();
  c.join();
}

const jostle_bench::CoverSubject kSubject("key-value store", &store);

}  // namespace

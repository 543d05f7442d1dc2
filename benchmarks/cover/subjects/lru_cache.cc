// A cache with the least recently used entry evicted; misses are loaded outside the lock, and a
// version says whether what was loaded is still good.
#include <atomic>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

class Cache {
 public:
  int get(int key) {
    int version;
    {
      const std::lock_guard lock(mutex_);
      for (Entry& e : entries_)
        if (e.key == key) {
          e.used = ++clock_;
          hits_.fetch_add(1, std::memory_order_relaxed);
          return e.value;
        }
      version = version_;
    }
    misses_.fetch_add(1, std::memory_order_relaxed);
    const int value = backing_[key].load();
    const std::lock_guard lock(mutex_);
    if (version == version_) insert(key, value);
    return value;
  }
  void put(int key, int value) {
    backing_[key].store(value);
    const std::lock_guard lock(mutex_);
    ++version_;
    for (Entry& e : entries_)
      if (e.key == key) e.key = -1;
  }
  int traffic() const { return hits_.load() + misses_.load(); }

 private:
  struct Entry {
    int key = -1, value = 0, used = 0;
  };
  void insert(int key, int value) {
    Entry* oldest = &entries_[0];
    for (Entry& e : entries_) {
      if (e.key == key) return;
      if (e.used < oldest->used) oldest = &e;
    }
    *oldest = {key, value, ++clock_};
  }

  std::mutex mutex_;
  Entry entries_[2];
  int clock_ = 0, version_ = 0;
  std::atomic<int> backing_[4] = {}, hits_{0}, misses_{0};
};

void cache() {
  Cache c;
  std::thread a([&] {
    c.get(1);
    c.get(2);
    c.get(1);
    c.put(2, 7);
  });
  std::thread b([&] {
    c.put(1, 5);
    c.get(3);
    c.get(1);
  });
  std::thread s([&] {
    c.traffic();
    c.get(2);
    c.traffic();
  });
  a.join();
  b.join();
  s.join();
}

const jostle_bench::CoverSubject kSubject("lru cache", &cache);

}  // namespace

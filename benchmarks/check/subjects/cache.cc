// A cache of counted entries: who drops the last reference to an evicted entry frees it.
#include <atomic>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

struct Entry {
  std::atomic<int> references{1};  // the cache's own
  std::atomic<int> value{7};
};

template <bool kBroken>
class Cache {
 public:
  Cache() : entry_(new Entry) {}
  ~Cache() { evict(); }

  // Null: not there.
  Entry* find() {
    std::unique_lock lock(mutex_);
    Entry* const e = entry_;
    if (!e) return nullptr;
    if (kBroken) lock.unlock();  // now it may be evicted, and freed
    e->references.fetch_add(1);
    return e;
  }
  static void drop(Entry* e) {
    if (e->references.fetch_sub(1) == 1) delete e;
  }
  void evict() {
    Entry* e = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::swap(e, entry_);
    }
    if (e) drop(e);
  }

 private:
  std::mutex mutex_;
  Entry* entry_;
};

template <bool kBroken, int kTail>
void test() {
  Cache<kBroken> cache;
  Tally tally;
  together(
      [&] {
        if (Entry* e = cache.find()) {
          JOSTLE_ASSERT(e->value.load() == 7);
          cache.drop(e);
        }
        tally.add_each(kTail);
      },
      [&] {
        cache.evict();
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("cache", "an entry is counted after the lock is given back", "heap",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

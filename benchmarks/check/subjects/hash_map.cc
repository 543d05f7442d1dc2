// A hash map with a lock for each stripe; it grows by replacing the table.
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class HashMap {
 public:
  HashMap() : table_(new Table(2)) { tables_.emplace_back(table_.load()); }

  void insert(int key) {
    for (;;) {
      Table* const t = table_.load();
      const std::lock_guard lock(stripe(*t, key));
      if (!kBroken && t != table_.load()) continue;  // it has grown before we had the lock
      t->bucket(key).push_back(key);
      return;
    }
  }
  bool contains(int key) {
    for (;;) {
      Table* const t = table_.load();
      const std::lock_guard lock(stripe(*t, key));
      if (t != table_.load()) continue;
      for (const int k : t->bucket(key))
        if (k == key) return true;
      return false;
    }
  }
  void grow() {
    const std::lock_guard first(stripes_[0]), second(stripes_[1]);
    Table* const old = table_.load();
    auto* const bigger = new Table(old->buckets.size() * 2);
    tables_.emplace_back(bigger);
    for (const auto& b : old->buckets)
      for (const int key : b) bigger->bucket(key).push_back(key);
    table_.store(bigger);
  }

 private:
  struct Table {
    explicit Table(std::size_t n) : buckets(n) {}
    std::vector<int>& bucket(int key) {
      return buckets[static_cast<std::size_t>(key) % buckets.size()];
    }
    std::vector<std::vector<int>> buckets;
  };
  std::mutex& stripe(const Table& t, int key) {
    return stripes_[static_cast<std::size_t>(key) % t.buckets.size() % 2];
  }

  std::mutex stripes_[2];
  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;  // old ones may still be looked at
};

template <bool kBroken, int kTail>
void test() {
  HashMap<kBroken> map;
  Tally tally;
  map.insert(100);
  together(
      [&] {
        map.insert(1);
        tally.add_each(kTail);
      },
      [&] {
        map.grow();
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
  JOSTLE_ASSERT(map.contains(1) && map.contains(100));
}

const Enlist enlist("hash_map", "an insertion into the table from before it grew", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

// A bag with a list for each thread; who finds the own one empty steals.
#include <atomic>
#include <mutex>
#include <vector>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Bag {
 public:
  void put(int owner, int value) {
    List& l = lists_[owner];
    const std::lock_guard lock(l.mutex);
    l.values.push_back(value);
    l.size.store(static_cast<int>(l.values.size()));
  }
  bool take(int owner, int& value) {
    for (int i = 0; i < kLists; ++i) {
      List& l = lists_[(owner + i) % kLists];
      if (l.size.load() == 0) continue;
      const std::lock_guard lock(l.mutex);
      if (!kBroken && l.values.empty()) continue;  // another thief was quicker
      JOSTLE_ASSERT(!l.values.empty());
      value = l.values.back();
      l.values.pop_back();
      l.size.store(static_cast<int>(l.values.size()));
      return true;
    }
    return false;
  }

 private:
  static constexpr int kLists = 3;
  struct List {
    std::mutex mutex;
    std::atomic<int> size{0};
    std::vector<int> values;
  };
  List lists_[kLists];
};

template <bool kBroken, int kTail>
void test() {
  Bag<kBroken> bag;
  Tally tally;
  bag.put(0, 1);
  auto steal = [&](int self) {
    int value = 0;
    if (bag.take(self, value)) tally.add(value);
    for (int i = 0; i < kTail; ++i) {
      bag.put(self, 1);
      tally.add(1);
    }
  };
  together([&] { steal(1); }, [&] { steal(2); }, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() >= 3 * kTail + 1);
}

const Enlist enlist("concurrent_bag", "a thief does not look again once it has the lock",
                    "assertion", Lengths<8>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

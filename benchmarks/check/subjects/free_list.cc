// A lock-free stack of the free slots of a pool.
#include <atomic>
#include <cstdint>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class FreeList {
 public:
  FreeList() {
    for (std::uint32_t i = 0; i < kSlots; ++i) next_[i].store(i + 1);
  }
  // kSlots: there is none.
  std::uint32_t allocate() {
    std::uint64_t head = head_.load();
    while (slot(head) != kSlots) {
      const std::uint32_t next = next_[slot(head)].load();
      if (head_.compare_exchange_strong(head, after(head, next))) return slot(head);
    }
    return kSlots;
  }
  void free(std::uint32_t s) {
    std::uint64_t head = head_.load();
    do next_[s].store(slot(head));
    while (!head_.compare_exchange_strong(head, after(head, s)));
  }

  static constexpr std::uint32_t kSlots = 3;

 private:
  static std::uint32_t slot(std::uint64_t head) { return static_cast<std::uint32_t>(head); }
  // The upper half counts the changes: without it, a head that went and came back looks the same.
  static std::uint64_t after(std::uint64_t head, std::uint32_t s) {
    return kBroken ? s : ((head >> 32) + 1) << 32 | s;
  }

  std::atomic<std::uint64_t> head_{0};
  std::atomic<std::uint32_t> next_[kSlots];
};

template <bool kBroken, int kTail>
void test() {
  using List = FreeList<kBroken>;
  List list;
  std::atomic<int> used[List::kSlots] = {};
  Tally tally;
  auto allocate = [&] {
    const std::uint32_t s = list.allocate();
    if (s != List::kSlots) JOSTLE_ASSERT(used[s].fetch_add(1) == 0);
    return s;
  };
  together(
      [&] {
        allocate();
        allocate();
        tally.add_each(kTail);
      },
      [&] {
        const std::uint32_t first = allocate();
        allocate();
        if (first != List::kSlots) {
          used[first].fetch_sub(1);
          list.free(first);
        }
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("free_list", "ABA: the head went and came back", "assertion", Lengths<14>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

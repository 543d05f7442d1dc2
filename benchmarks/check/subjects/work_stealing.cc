// A work-stealing deque in a ring: the owner works at the bottom, thieves at the top.
#include <atomic>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Deque {
 public:
  bool push(int value) {
    const int b = bottom_.load();
    if (b - top_.load() >= kSize) return false;
    slots_[b % kSize].store(value);
    bottom_.store(b + 1);
    return true;
  }
  bool steal(int& value) {
    int t = top_.load();
    if (t >= bottom_.load()) return false;
    if (!kBroken) value = slots_[t % kSize].load();
    if (!top_.compare_exchange_strong(t, t + 1)) return false;
    // Too late: the slot is the owner's to fill again.
    if (kBroken) value = slots_[t % kSize].load();
    return true;
  }

 private:
  static constexpr int kSize = 2;
  std::atomic<int> top_{0}, bottom_{0};
  std::atomic<int> slots_[kSize] = {};
};

template <bool kBroken, int kTail>
void test() {
  Deque<kBroken> deque;
  std::atomic<int> taken[4] = {};
  Tally tally;
  auto count = [&](int value) { JOSTLE_ASSERT(taken[value].fetch_add(1) == 0); };
  deque.push(0);
  deque.push(1);
  together(
      [&] {
        deque.push(2);  // there is room if something was stolen
        tally.add_each(kTail);
        for (int value = 0, i = 0; i < 3; ++i)
          if (deque.steal(value)) count(value);
      },
      [&] {
        if (int value = 0; deque.steal(value)) count(value);
        tally.add_each(kTail);
      },
      [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("work_stealing", "a thief reads the slot when it is no longer its own",
                    "assertion", Lengths<14>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

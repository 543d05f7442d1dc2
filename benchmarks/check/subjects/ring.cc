// A ring of fixed size for several producers.
#include <atomic>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Ring {
 public:
  bool put(int value) {
    if (kBroken) {
      if (size_.load() == kSize) return false;
      size_.fetch_add(1);  // two may have seen the last free slot
    } else {
      int size = size_.load();
      do
        if (size == kSize) return false;
      while (!size_.compare_exchange_strong(size, size + 1));
    }
    const int at = end_.fetch_add(1) % kSize;
    JOSTLE_ASSERT(slots_[at].exchange(value) == 0);
    return true;
  }

 private:
  static constexpr int kSize = 2;
  std::atomic<int> size_{0}, end_{0};
  std::atomic<int> slots_[kSize] = {};
};

template <bool kBroken, int kTail>
void test() {
  Ring<kBroken> ring;
  Tally tally;
  ring.put(1);
  auto put = [&] {
    ring.put(1);
    tally.add_each(kTail);
  };
  together(put, put, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("ring", "two producers see the last free slot", "assertion", Lengths<16>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

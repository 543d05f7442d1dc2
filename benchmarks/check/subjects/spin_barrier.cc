// A barrier that spins, with a sense that is reversed in each phase.
#include <atomic>
#include <thread>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class SpinBarrier {
 public:
  explicit SpinBarrier(int participants) : participants_(participants), missing_(participants) {}

  void arrive_and_wait(bool& sense) {
    sense = !sense;
    if (missing_.fetch_sub(1) == 1) {
      if (kBroken) {
        // Whoever is quick arrives at the next phase before the count is set for it.
        sense_.store(sense);
        missing_.store(participants_);
      } else {
        missing_.store(participants_);
        sense_.store(sense);
      }
      return;
    }
    while (sense_.load() != sense) std::this_thread::yield();
  }

 private:
  const int participants_;
  std::atomic<int> missing_;
  std::atomic<bool> sense_{false};
};

template <bool kBroken, int kTail>
void test() {
  SpinBarrier<kBroken> barrier(2);
  Tally tally;
  auto work = [&] {
    bool sense = false;
    barrier.arrive_and_wait(sense);
    barrier.arrive_and_wait(sense);
    tally.add_each(kTail);
  };
  together(work, work, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("spin_barrier", "the sense is reversed before the count is set", "livelock",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

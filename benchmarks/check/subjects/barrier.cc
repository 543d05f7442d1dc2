// A barrier whose participants may leave for good.
#include <condition_variable>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Barrier {
 public:
  explicit Barrier(int participants) : participants_(participants) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const int phase = phase_;
    if (++arrived_ == participants_) return release();
    while (phase == phase_) changed_.wait(lock);
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --participants_;
    // Those who stay may all be waiting already: for nobody, now.
    if (!kBroken && arrived_ > 0 && arrived_ == participants_) release();
  }

 private:
  void release() {
    arrived_ = 0;
    ++phase_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int participants_, arrived_ = 0, phase_ = 0;
};

template <bool kBroken, int kPhases>
void test() {
  Barrier<kBroken> barrier(3);
  Tally tally;
  auto stay = [&] {
    for (int i = 0; i < kPhases; ++i) {
      tally.add(1);
      barrier.arrive_and_wait();
    }
  };
  together(
      [&] {
        tally.add(1);
        barrier.leave();
        tally.add_each(kPhases);
      },
      stay, stay);
  JOSTLE_ASSERT(tally.total() == 3 * kPhases + 1);
}

const Enlist enlist("barrier", "a participant leaves while all others wait", "deadlock",
                    Lengths<8>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

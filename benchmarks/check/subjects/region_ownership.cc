// Regions of a heap that belong to one thread at a time; only the owner may use one.
#include <atomic>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

constexpr int kNobody = 0;

template <bool kBroken>
class Region {
 public:
  bool acquire(int self) {
    int owner = kNobody;
    if (!kBroken) return owner_.compare_exchange_strong(owner, self);
    if (owner_.load() != kNobody) return false;
    owner_.store(self);
    return true;
  }
  void release() { owner_.store(kNobody); }
  void enter() { JOSTLE_ASSERT(users_.fetch_add(1) == 0); }
  void leave() { users_.fetch_sub(1); }

 private:
  std::atomic<int> owner_{kNobody}, users_{0};
};

template <bool kBroken, int kTail>
void test() {
  Region<kBroken> shared;
  Tally tally;
  auto work = [&](int self) {
    if (shared.acquire(self)) {
      shared.enter();
      shared.leave();
      shared.release();
    }
    tally.add_each(kTail);
  };
  together([&] { work(1); }, [&] { work(2); }, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("region_ownership", "two threads see that a region has no owner", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

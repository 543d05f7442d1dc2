// atomic_queue::AtomicQueue: pop() waits in a loop, for ever if another consumer was quicker.
#include <atomic_queue/atomic_queue.h>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken, int kTail>
void test() {
  atomic_queue::AtomicQueue<int, 4> queue;
  queue.push(7);
  Tally tally;
  const auto consume = [&] {
    int n = 0;
    if (kBroken) {
      if (!queue.was_empty()) n = queue.pop();
    } else {
      queue.try_pop(n);
    }
    JOSTLE_ASSERT(n == 0 || n == 7);
    tally.add_each(kTail);
  };
  together(consume, consume, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("atomic_queue", "was_empty(), then pop()", "livelock", Lengths<16>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

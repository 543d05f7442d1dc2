// moodycamel::ConcurrentQueue: what is there is found only by who looks after it was put there, and
// its size is a guess.
#include <concurrentqueue/concurrentqueue.h>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken, int kTail>
void test() {
  moodycamel::ConcurrentQueue<int> queue(4);
  moodycamel::ProducerToken token(queue);
  queue.enqueue(token, 7);
  Tally tally;
  const auto consume = [&] {
    int n = 0;
    if (kBroken) {
      if (queue.size_approx() > 0) JOSTLE_ASSERT(queue.try_dequeue_from_producer(token, n));
    } else if (queue.try_dequeue_from_producer(token, n)) {
      JOSTLE_ASSERT(n == 7);
    }
    tally.add_each(kTail);
  };
  together(consume, consume, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("moodycamel ConcurrentQueue", "size_approx(), then try_dequeue()", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

// boost::lockfree::spsc_queue, with a second producer.
#include <boost/lockfree/spsc_queue.hpp>
#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken, int kTail>
void test() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;
  std::mutex producers;
  Tally tally;
  const auto produce = [&](int n) {
    return [&, n] {
      if (kBroken) {
        JOSTLE_ASSERT(queue.push(n));
      } else {
        const std::lock_guard lock(producers);
        JOSTLE_ASSERT(queue.push(n));
      }
      tally.add_each(kTail);
    };
  };
  together(produce(1), produce(2), [&] { tally.add_each(kTail); });
  int sum = 0;
  for (int n; queue.pop(n);) sum += n;
  JOSTLE_ASSERT(sum == 3);
}

const Enlist enlist("boost spsc_queue", "two producers of a queue for one", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

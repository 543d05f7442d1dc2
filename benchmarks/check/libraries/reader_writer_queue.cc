// moodycamel::ReaderWriterQueue, with a second consumer.
#include <readerwriterqueue/readerwriterqueue.h>

#include <mutex>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken, int kTail>
void test() {
  moodycamel::ReaderWriterQueue<int> queue(4);
  queue.enqueue(7);
  std::mutex consumers;
  Tally taken, tally;
  const auto consume = [&] {
    int n = 0;
    {
      std::unique_lock lock(consumers, std::defer_lock);
      if (!kBroken) lock.lock();
      if (queue.try_dequeue(n)) taken.add(1);
    }
    tally.add_each(kTail);
  };
  together(consume, consume, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(taken.total() == 1);
}

const Enlist enlist("moodycamel ReaderWriterQueue", "two consumers of a queue for one", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

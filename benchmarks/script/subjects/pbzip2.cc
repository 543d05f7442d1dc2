// A parallel compressor: main frees the queue when the work is done; a consumer still uses its
// lock.
#include <atomic>
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::pbzip2 {

using namespace jostle::scripting;

struct Queue {
  std::mutex mutex;
  int blocks = 2;
};

NOINLINE void consumer(Queue* q, std::atomic<int>& done) {
  for (;;) {
    JOSTLE_POINT("next block");
    q->mutex.lock();
    const bool more = q->blocks > 0 && q->blocks-- > 0;
    q->mutex.unlock();
    if (!more) return;
    JOSTLE_POINT("block is written");
    ++done;
  }
}

NOINLINE void queue_delete(Queue* q) { delete q; }

void body() {
  std::atomic<int> done = 0;
  auto* q = new Queue;
  std::thread a([&] { consumer(q, done); }), b([&] { consumer(q, done); });
  while (done < 2) std::this_thread::yield();
  queue_delete(q);
  a.join();
  b.join();
}

SCRIPT(all) { search_all(2); }
END_SCRIPT(all)

SCRIPT(in_buggy) {
  const auto [a, b] = wait_for_distinct_threads<2>(at_point("block is written"));
  run_until(a + b, at_point("next block"));
  const Tid m = wait_for_thread(any - a - b, enters("pbzip2::queue_delete"));
  while (!has_ended(a) || !has_ended(b))
    run_until(choose_thread(a + b + m), at_point || returns("pbzip2::queue_delete") || ends);
}
END_SCRIPT(in_buggy)

SCRIPT(exact) {
  const Tid a = wait_for_thread(any, at_point("block is written"));
  const Tid b = wait_for_thread(any - a, at_point("block is written"));
  run_until(a + b, locks);
  wait_for_thread(any - a - b, returns("pbzip2::queue_delete"));
}
END_SCRIPT(exact)

const EnlistScripted enlist({"pbzip2",
                             "a queue is freed while it is in use",
                             "heap",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 2, &all},
                              {"SearchInBuggy", 1, 2, in_buggy_lines, 3, &in_buggy},
                              {"ExactSchedule", 1, 1, exact_lines, 3, &exact}}});

}  // namespace jostle_bench::pbzip2

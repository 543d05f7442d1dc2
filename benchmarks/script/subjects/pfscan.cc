// A parallel file scanner: the number of workers at work is changed without a lock, and main waits
// for ever.
#include <condition_variable>
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::pfscan {

using namespace jostle::scripting;

struct Scan {
  std::mutex mutex;
  std::condition_variable idle;
  int workers = 2;
};

NOINLINE void worker(Scan& s) {
  const int n = s.workers;
  JOSTLE_POINT(1);
  s.workers = n - 1;
  const std::lock_guard lock(s.mutex);
  s.idle.notify_one();
}

void body() {
  Scan s;
  std::thread a([&] { worker(s); }), b([&] { worker(s); });
  {
    std::unique_lock lock(s.mutex);
    while (s.workers > 0) s.idle.wait(lock);
  }
  a.join();
  b.join();
}

SCRIPT(in_functions) { search_in_functions(2, {"pfscan::worker"}); }
END_SCRIPT(in_functions)

SCRIPT(at_points) { search_in_functions_at_points(2, {"pfscan::worker"}); }
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("pfscan::worker"));
  run_until(a + b, at_point(1));
}
END_SCRIPT(exact)

const EnlistScripted enlist({"pfscan",
                             "lost update of a count of workers",
                             "deadlock",
                             &body,
                             {{"SearchInFunc", 1, 0, in_functions_lines, 2, &in_functions},
                              {"SearchInFuncLS", 1, 1, at_points_lines, 2, &at_points},
                              {"ExactSchedule", 1, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::pfscan

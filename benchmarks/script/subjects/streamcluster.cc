// Clustering in phases: a barrier is missing between the last use of the shared gain and its reset.
#include <barrier>

#include "benchmarks/script/subject.h"

namespace jostle_bench::streamcluster {

using namespace jostle::scripting;

struct Work {
  std::barrier<> barrier{3};
  int gain[3] = {};
  int total = 0;
};

NOINLINE int sum(const Work& w) { return w.gain[0] + w.gain[1] + w.gain[2]; }

NOINLINE void pkmedian(Work& w, int me) {
  w.gain[me] = me + 1;
  w.barrier.arrive_and_wait();
  JOSTLE_POINT(42);
  const int all = sum(w);
  JOSTLE_ASSERT(all == 6);
  JOSTLE_POINT(43);
  w.gain[me] = 0;  // a second barrier should come before
}

void body() {
  Work w;
  on_threads([&] { pkmedian(w, 0); }, [&] { pkmedian(w, 1); }, [&] { pkmedian(w, 2); });
}

SCRIPT(at_points) { search_in_functions_at_points(3, {"streamcluster::pkmedian"}); }
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto ts = wait_for_distinct_threads(3, enters("streamcluster::pkmedian"));
  run_until(Threads(ts), at_point(42));
  run_until(ts[0], ends);
  run_until(ts[1] + ts[2], ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"streamcluster",
                             "a barrier is missing",
                             "assertion",
                             &body,
                             {{"SearchInFuncLS", 1, 2, at_points_lines, 3, &at_points},
                              {"ExactSchedule", 1, 1, exact_lines, 3, &exact}}});

}  // namespace jostle_bench::streamcluster

// Deduplication: whether a chunk is known is looked up in one critical section and entered in
// another.
#include <mutex>
#include <vector>

#include "benchmarks/script/subject.h"

namespace jostle_bench::dedup {

using namespace jostle::scripting;

struct Store {
  std::mutex mutex;
  int chunks[4] = {};
  int count = 0;
};

NOINLINE bool known(Store& s, int chunk) {
  const std::lock_guard lock(s.mutex);
  for (int i = 0; i < s.count; ++i)
    if (s.chunks[i] == chunk) return true;
  return false;
}

NOINLINE void enter(Store& s, int chunk) {
  const std::lock_guard lock(s.mutex);
  s.chunks[s.count++] = chunk;
}

NOINLINE void process(Store& s, int chunk) {
  if (known(s, chunk)) return;
  JOSTLE_POINT("new chunk");
  enter(s, chunk);
}

void body() {
  Store s;
  on_threads([&] { process(s, 7); }, [&] { process(s, 7); });
  JOSTLE_ASSERT(s.count == 1);
}

SCRIPT(in_functions) { search_in_functions(2, {"dedup::process"}); }
END_SCRIPT(in_functions)

SCRIPT(at_points) { search_in_functions_at_points(2, {"dedup::process"}); }
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("dedup::process"));
  run_until(a + b, at_point("new chunk"));
}
END_SCRIPT(exact)

const EnlistScripted enlist({"dedup",
                             "check, then act: a chunk is stored twice",
                             "assertion",
                             &body,
                             {{"SearchInFunc", 1, 0, in_functions_lines, 2, &in_functions},
                              {"SearchInFuncLS", 1, 1, at_points_lines, 2, &at_points},
                              {"ExactSchedule", 1, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::dedup

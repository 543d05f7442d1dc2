// A tracing library: the number of readers of its hash table is changed without a lock.
#include "benchmarks/script/subject.h"

namespace jostle_bench::ctrace {

using namespace jostle::scripting;

struct Table {
  int readers = 0;
};

NOINLINE void hash_read_enter(Table& t) {
  const int n = t.readers;
  JOSTLE_POINT(42);
  t.readers = n + 1;
}

NOINLINE void hash_read_exit(Table& t) {
  const int n = t.readers;
  JOSTLE_POINT(43);
  t.readers = n - 1;
  JOSTLE_ASSERT(n > 0);
}

NOINLINE void trace(Table& t) {
  hash_read_enter(t);
  JOSTLE_POINT(44);
  hash_read_exit(t);
}

void body() {
  Table t;
  on_threads([&] { trace(t); }, [&] { trace(t); });
}

SCRIPT(all) { search_all(2); }
END_SCRIPT(all)

SCRIPT(large_steps) { search_in_functions_at_points(2, {"ctrace::trace"}); }
END_SCRIPT(large_steps)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("ctrace::hash_read_enter"));
  run_until(a + b, at_point(42));
  run_until(a + b, at_point(44));
  run_until(a, ends);
  run_until(b, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"ctrace",
                             "lost update of a count of readers",
                             "assertion",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 2, &all},
                              {"SearchLargeSteps", 1, 3, large_steps_lines, 2, &large_steps},
                              {"ExactSchedule", 1, 2, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::ctrace

// A cache server: increments read under the lock and store under the lock, but not in one go.
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::memcached {

using namespace jostle::scripting;

struct Item {
  std::mutex mutex;
  int value = 0;
};

NOINLINE int item_get(Item& i) {
  const std::lock_guard lock(i.mutex);
  return i.value;
}

NOINLINE void item_store(Item& i, int value) {
  const std::lock_guard lock(i.mutex);
  i.value = value;
}

NOINLINE void complete_incr_bin(Item& i) {
  JOSTLE_POINT(41);
  const int value = item_get(i);
  JOSTLE_POINT(42);
  item_store(i, value + 1);
}

NOINLINE void process_arithmetic_command(Item& i) {
  JOSTLE_POINT(43);
  const int value = item_get(i);
  JOSTLE_POINT(44);
  item_store(i, value + 1);
}

void body() {
  Item i;
  on_threads([&] { complete_incr_bin(i); }, [&] { process_arithmetic_command(i); });
  JOSTLE_ASSERT(i.value == 2);
}

SCRIPT(at_points) {
  search_in_functions_at_points(2, {"complete_incr_bin", "process_arithmetic_command"});
}
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("complete_incr_bin") ||
                                                   enters("process_arithmetic_command"));
  run_until(a, at_point(42));
  run_until(b, ends);
  run_until(a, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"memcached",
                             "increments are lost",
                             "assertion",
                             &body,
                             {{"SearchInFuncLS", 2, 4, at_points_lines, 2, &at_points},
                              {"ExactSchedule", 2, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::memcached

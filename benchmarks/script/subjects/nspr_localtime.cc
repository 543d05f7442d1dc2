// "Thread safe" localtime: the result goes through a static buffer that two threads share.
#include "benchmarks/script/subject.h"

namespace jostle_bench::nspr_localtime {

using namespace jostle::scripting;

struct Time {
  int hours, minutes;
};
Time shared;

NOINLINE Time MT_safe_localtime(int minutes) {
  shared.hours = minutes / 60;
  shared.minutes = minutes % 60;
  return shared;
}

void check(int minutes) {
  const Time t = MT_safe_localtime(minutes);
  JOSTLE_ASSERT(t.hours * 60 + t.minutes == minutes);
}

void body() {
  on_threads([] { check(61); }, [] { check(122); });
}

SCRIPT(in_functions) { search_in_functions(2, {"MT_safe_localtime"}); }
END_SCRIPT(in_functions)

SCRIPT(bounded) { search_in_functions_bounded(2, {"MT_safe_localtime"}, 2); }
END_SCRIPT(bounded)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("MT_safe_localtime"));
  run_until(a, reads(&shared));
  run_until(b, returns("MT_safe_localtime"));
  run_until(a, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"nspr-localtime",
                             "a static buffer",
                             "assertion",
                             &body,
                             {{"SearchInFunc", 1, 0, in_functions_lines, 2, &in_functions},
                              {"SearchInFuncCB2", 1, 0, bounded_lines, 2, &bounded},
                              {"ExactSchedule", 1, 0, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::nspr_localtime

// Section 2 of the paper: the collector runs while the runtime is set up again.
#include "benchmarks/script/subject.h"
#include "tests/script/spidermonkey.h"

namespace jostle_bench::spidermonkey2 {

using namespace jostle::scripting;
using spidermonkey::current;

void body() { spidermonkey::body(); }

SCRIPT(all) { search_all(3); }
END_SCRIPT(all)

SCRIPT(in_functions) {
  search_in_functions(3, {"JS_NewContext", "JS_DestroyContext", "spidermonkey::js_GC"});
}
END_SCRIPT(in_functions)

SCRIPT(in_buggy) {
  search_in_buggy(3, enters("JS_NewContext"), {"JS_NewContext", "JS_DestroyContext"},
                  [](std::span<const Tid> t) {
                    run_until(t[0] + t[1], enters("JS_DestroyContext"));
                    run_until(t[0], in_function("spidermonkey::js_GC") && locks);
                    run_until(t[1], ends);
                    run_until(t[0], in_function("spidermonkey::js_GC") && unlocks);
                  });
}
END_SCRIPT(in_buggy)

SCRIPT(exact) {
  const auto [a, b, c] = wait_for_distinct_threads<3>(enters("JS_NewContext"));
  run_until(a + b, enters("JS_DestroyContext"));
  run_until(a, in_function("spidermonkey::js_GC") && locks(&current->gc_lock));
  run_until(b, ends);
  run_until(a, in_function("spidermonkey::js_GC") && reads(&current->adding_root));
  run_until(c, in_function("js_AddRoot") && writes(&current->roots));
  run_until(a, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"spidermonkey2",
                             "garbage collection in a runtime that is down",
                             "assertion",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 3, &all},
                              {"SearchInFunc", 3, 0, in_functions_lines, 3, &in_functions},
                              {"SearchInBuggy", 3, 0, in_buggy_lines, 3, &in_buggy},
                              {"ExactSchedule", 4, 0, exact_lines, 3, &exact}}});

}  // namespace jostle_bench::spidermonkey2

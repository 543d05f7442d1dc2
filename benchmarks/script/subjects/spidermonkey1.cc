// A collector looks at a context's thread twice; in between the context is cleared.
#include "benchmarks/script/subject.h"

namespace jostle_bench::spidermonkey1 {

using namespace jostle::scripting;

struct Thread {
  int requests = 0;
};
struct Context {
  Thread* volatile thread;  // volatile: the compiler reads it twice, too
};

NOINLINE int js_GC(Context& cx) {
  if (cx.thread == nullptr) return 0;
  return cx.thread->requests;
}

NOINLINE void JS_ClearContextThread(Context& cx) { cx.thread = nullptr; }

void body() {
  Thread t;
  Context cx{&t};
  on_threads([&] { js_GC(cx); }, [&] { JS_ClearContextThread(cx); });
}

SCRIPT(all) { search_all(2); }
END_SCRIPT(all)

SCRIPT(in_functions) { search_in_functions(2, {"spidermonkey1::js_GC", "JS_ClearContextThread"}); }
END_SCRIPT(in_functions)

SCRIPT(bounded) {
  search_in_functions_bounded(2, {"spidermonkey1::js_GC", "JS_ClearContextThread"}, 2);
}
END_SCRIPT(bounded)

const EnlistScripted enlist({"spidermonkey1",
                             "a pointer is read again after the check",
                             "crash",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 2, &all},
                              {"SearchInFunc", 2, 0, in_functions_lines, 2, &in_functions},
                              {"SearchInFuncCB2", 2, 0, bounded_lines, 2, &bounded}}});

}  // namespace jostle_bench::spidermonkey1

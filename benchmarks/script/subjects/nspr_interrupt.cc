// A thread is interrupted after it has looked for that and before it says what it waits for.
#include <condition_variable>
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::nspr_interrupt {

using namespace jostle::scripting;

struct Victim {
  std::mutex mutex;
  std::condition_variable cv;
  bool interrupted = false;
  std::condition_variable* waits_on = nullptr;
};

NOINLINE void PR_WaitCondVar(Victim& v) {
  std::unique_lock lock(v.mutex);
  if (v.interrupted) return;
  JOSTLE_POINT(42);
  v.waits_on = &v.cv;
  v.cv.wait(lock);
}

NOINLINE void PR_Interrupt(Victim& v) {
  v.interrupted = true;
  if (v.waits_on == nullptr) return;
  const std::lock_guard lock(v.mutex);
  v.waits_on->notify_all();
}

void body() {
  Victim v;
  on_threads([&] { PR_WaitCondVar(v); }, [&] { PR_Interrupt(v); });
}

SCRIPT(bounded) { search_in_functions_bounded(2, {"PR_WaitCondVar", "PR_Interrupt"}, 2); }
END_SCRIPT(bounded)

SCRIPT(exact) {
  const Tid a = wait_for_thread(any, enters("PR_WaitCondVar"));
  run_until(a, at_point(42));
  const Tid b = wait_for_thread(any - a, enters("PR_Interrupt"));
  run_until(b, returns("PR_Interrupt"));
}
END_SCRIPT(exact)

const EnlistScripted enlist({"nspr-interrupt",
                             "a lost interrupt",
                             "deadlock",
                             &body,
                             {{"SearchInFuncCB2", 2, 0, bounded_lines, 2, &bounded},
                              {"ExactSchedule", 2, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::nspr_interrupt

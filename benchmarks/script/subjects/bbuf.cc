// A bounded buffer that waits with `if`: between the signal and the wakeup another consumer comes.
#include <condition_variable>
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::bbuf {

using namespace jostle::scripting;

struct Buffer {
  std::mutex mutex;
  std::condition_variable not_empty;
  int count = 0;
};

NOINLINE void put(Buffer& b) {
  const std::lock_guard lock(b.mutex);
  ++b.count;
  b.not_empty.notify_one();
}

NOINLINE void take(Buffer& b) {
  std::unique_lock lock(b.mutex);
  if (b.count == 0) b.not_empty.wait(lock);
  JOSTLE_ASSERT(b.count > 0);
  --b.count;
}

void body() {
  Buffer b;
  on_threads([&] { take(b); }, [&] { take(b); }, [&] { put(b); }, [&] { put(b); });
}

SCRIPT(all) { search_all(4); }
END_SCRIPT(all)

SCRIPT(in_functions) { search_in_functions(3, {"bbuf::take", "bbuf::put"}); }
END_SCRIPT(in_functions)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("bbuf::take"));
  const Tid p = wait_for_thread(any - a - b, enters("bbuf::put"));
  run_until(a, waits);
  release(a);
  run_until(p, ends);
  run_until(b, returns("bbuf::take"));
  run_until(a, returns("bbuf::take"));
}
END_SCRIPT(exact)

const EnlistScripted enlist({"bbuf",
                             "if instead of while around a wait",
                             "assertion",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 4, &all},
                              {"SearchInFunc", 2, 0, in_functions_lines, 3, &in_functions},
                              {"ExactSchedule", 2, 0, exact_lines, 3, &exact}}});

}  // namespace jostle_bench::bbuf

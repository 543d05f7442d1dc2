// A database's log rotation: while a new file is opened the log looks as if it were off, and an
// insert goes unrecorded.
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::mysql_log {

using namespace jostle::scripting;

struct Log {
  std::mutex mutex;
  bool open = true;
  int entries = 0, files = 1;
};

NOINLINE void new_file(Log& l) {
  const std::lock_guard lock(l.mutex);
  JOSTLE_POINT(1);
  l.open = false;
  JOSTLE_POINT(2);
  ++l.files;
  l.open = true;
  JOSTLE_POINT(3);
}

NOINLINE void mysql_insert(Log& l) {
  JOSTLE_POINT(4);
  if (!l.open) return;
  JOSTLE_POINT(5);
  const std::lock_guard lock(l.mutex);
  ++l.entries;
}

void body() {
  Log l;
  on_threads([&] { new_file(l); }, [&] { new_file(l); }, [&] { mysql_insert(l); });
  JOSTLE_ASSERT(l.entries == 1);
}

SCRIPT(at_points) {
  search({.threads = 3,
          .start = enters("mysql_log::new_file") || enters("mysql_insert"),
          .schedule_at = at_point || ends});
}
END_SCRIPT(at_points)

SCRIPT(exact) {
  const Tid a = wait_for_thread(any, enters("mysql_log::new_file"));
  const Tid b = wait_for_thread(any - a, enters("mysql_insert"));
  run_until(a, at_point(2));
  run_until(b, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"mysql-log",
                             "an insert is not logged",
                             "assertion",
                             &body,
                             {{"SearchInFuncLS", 2, 5, at_points_lines, 3, &at_points},
                              {"ExactSchedule", 2, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::mysql_log

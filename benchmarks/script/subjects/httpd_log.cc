// A web server's buffered log: where the next entry goes is read, used and advanced without a lock.
#include <cstring>

#include "benchmarks/script/subject.h"

namespace jostle_bench::httpd_log {

using namespace jostle::scripting;

struct Log {
  char buffer[64] = {};
  std::size_t length = 0;
};

NOINLINE void ap_buffered_log_writer(Log& l, const char* entry) {
  JOSTLE_POINT(1);
  char* const to = l.buffer + l.length;
  JOSTLE_POINT(2);
  std::memcpy(to, entry, 4);
  JOSTLE_POINT(3);
  l.length += 4;
}

void body() {
  Log l;
  on_threads([&] { ap_buffered_log_writer(l, "one\n"); },
             [&] { ap_buffered_log_writer(l, "two\n"); },
             [&] { ap_buffered_log_writer(l, "six\n"); });
  JOSTLE_ASSERT(l.length == 12 && std::strlen(l.buffer) == 12);
}

SCRIPT(at_points) { search_in_functions_at_points(3, {"ap_buffered_log_writer"}); }
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("ap_buffered_log_writer"));
  run_until(a + b, at_point(2));
  run_until(a, ends);
  run_until(b, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"httpd-log",
                             "entries overwrite each other",
                             "assertion",
                             &body,
                             {{"SearchInFuncLS", 1, 3, at_points_lines, 3, &at_points},
                              {"ExactSchedule", 1, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::httpd_log

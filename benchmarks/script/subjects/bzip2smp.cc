// A parallel compressor: where a block goes is read and advanced in two steps.
#include <mutex>

#include "benchmarks/script/subject.h"

namespace jostle_bench::bzip2smp {

using namespace jostle::scripting;

struct Output {
  std::mutex mutex;
  int end = 0;  // bytes written
  char bytes[64] = {};
};

NOINLINE int compress(int block) { return 4 + block % 3; }

NOINLINE void write_block(Output& out, int block) {
  const int size = compress(block);
  JOSTLE_POINT(1);
  const int at = out.end;
  JOSTLE_POINT(2);
  for (int i = 0; i < size; ++i) out.bytes[at + i] = static_cast<char>('a' + block);
  const std::lock_guard lock(out.mutex);
  out.end = at + size;
  JOSTLE_POINT(3);
}

void body() {
  Output out;
  on_threads([&] { write_block(out, 0); }, [&] { write_block(out, 1); },
             [&] { write_block(out, 2); });
  JOSTLE_ASSERT(out.end == 4 + 5 + 6);
}

SCRIPT(all) { search_all(3); }
END_SCRIPT(all)

SCRIPT(in_functions) { search_in_functions(3, {"bzip2smp::write_block"}); }
END_SCRIPT(in_functions)

SCRIPT(at_points) { search_in_functions_at_points(3, {"bzip2smp::write_block"}); }
END_SCRIPT(at_points)

SCRIPT(exact) {
  const auto [a, b] = wait_for_distinct_threads<2>(enters("bzip2smp::write_block"));
  run_until(a, at_point(2));
  run_until(b, ends);
  run_until(a, ends);
}
END_SCRIPT(exact)

const EnlistScripted enlist({"bzip2smp",
                             "blocks overwrite each other",
                             "assertion",
                             &body,
                             {{"SearchAll", 0, 0, all_lines, 3, &all},
                              {"SearchInFunc", 1, 0, in_functions_lines, 3, &in_functions},
                              {"SearchInFuncLS", 1, 3, at_points_lines, 3, &at_points},
                              {"ExactSchedule", 1, 1, exact_lines, 2, &exact}}});

}  // namespace jostle_bench::bzip2smp

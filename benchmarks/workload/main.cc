// program WORKLOAD: executes it twice and prints how many seconds of processor time the second time
// took: other load does not change that much.
#include <cstdio>
#include <cstring>
#include <ctime>

#include "benchmarks/workload/workload.h"

static double used() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int argc, char** argv) {
  for (const jostle_bench::Workload& w : jostle_bench::kWorkload) {
    if (argc != 2 || std::strcmp(argv[1], w.name) != 0) continue;
    w.run();
    const double start = used();
    w.run();
    std::printf("%.9f\n", used() - start);
    return 0;
  }
  return 2;
}

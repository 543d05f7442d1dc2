// program WORKLOAD: executes it twice and prints how many seconds the second time took.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "benchmarks/workload/workload.h"

int main(int argc, char** argv) {
  for (const jostle_bench::Workload& w : jostle_bench::kWorkload) {
    if (argc != 2 || std::strcmp(argv[1], w.name) != 0) continue;
    w.run();
    const auto start = std::chrono::steady_clock::now();
    w.run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.9f\n", took.count());
    return 0;
  }
  return 2;
}

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <jostle/jostle.hpp>

#include "benchmarks/bench.h"
#include "benchmarks/instrumented/bodies.h"
#include "explore/keeper.h"

namespace jostle_bench {
namespace {

double resident_mib(pid_t p) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", p);
  long size = 0, resident = 0;
  if (std::FILE* f = std::fopen(path, "r")) {
    if (std::fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Shared {
  double before, early, after, seconds;
  bool good;
};

}  // namespace

// The process measures itself before and after one run(); in between somebody else looks at it.
bool run_memory(const Settings& s) {
  const std::uint64_t executions = s.quick ? 1'000'000 : 10'000'000;
  using Body = void (*)();
  struct {
    const char* name;
    Body body;
    std::uint64_t executions;
  } const rows[] = {{"3 threads x 2 lock/increment/unlock", &three_threads_two_locks, executions},
                    {"2 threads exchanging heap blocks", &allocating_threads, executions / 10}};
  Table table(
      {"one run()", "executions", "before", "after 10 000", "after all", "highest", "growth"});
  bool good = true;
  for (const auto& row : rows) {
    Shared& shared = *shared_array<Shared>(1);
    const pid_t p = jostle::explore::fork_helper();
    if (p == 0) {
      shared.before = resident_mib(getpid());
      jostle::Options o{.executions = 10'000, .quiet = true};
      jostle::run(row.body, o);
      shared.early = resident_mib(getpid());
      o.executions = row.executions;
      const jostle::Result r = jostle::run(row.body, o);
      shared.after = resident_mib(getpid());
      shared.good = r.ok() && r.executions == row.executions;
      _exit(0);
    }
    double highest = 0;
    int status;
    while (waitpid(p, &status, WNOHANG) == 0) {
      highest = std::max(highest, resident_mib(p));
      usleep(50'000);
    }
    highest = std::max(highest, shared.after);
    good = good && shared.good;
    table.row({row.name, number(static_cast<double>(row.executions)),
               number(shared.before, 1) + " MiB", number(shared.early, 1) + " MiB",
               number(shared.after, 1) + " MiB", number(highest, 1) + " MiB",
               number(shared.after - shared.early, 1) + " MiB"});
  }
  table.print();
  return good;
}

}  // namespace jostle_bench

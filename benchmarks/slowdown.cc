#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "benchmarks/bench.h"
#include "benchmarks/workload/workload.h"
#include "explore/schedules.h"
#include "strategies/registry.h"

namespace jostle_bench {
namespace {

// What the program beside this one prints. libtsan wants its addresses where it expects them.
double seconds_of(const std::string& program, const char* workload) {
  int ends[2];
  if (pipe(ends) != 0) return std::nan("");
  const pid_t p = fork();
  if (p == 0) {
    personality(ADDR_NO_RANDOMIZE);
    dup2(ends[1], 1);
    execl(program.c_str(), program.c_str(), workload, nullptr);
    _exit(127);
  }
  close(ends[1]);
  char text[64] = {};
  const ssize_t n = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status = 0;
  waitpid(p, &status, 0);
  return n > 0 && status == 0 ? std::atof(text) : std::nan("");
}

double seconds_here(const Workload& w) {
  return in_child([&] {
    Controlled c;
    jostle::Strategy& random = jostle::strategies()[0].instance();
    c.execute(random, w.run);
    const double start = cpu_seconds();
    const jostle::Outcome& o = c.execute(random, w.run);
    const double took = cpu_seconds() - start;
    if (o.failure.kind != jostle::FindingKind::none)
      std::fprintf(stderr, "%s: %s\n", w.name, o.failure.message);
    return o.failure.kind == jostle::FindingKind::none ? took : std::nan("");
  });
}

std::string folder() {
  const std::string self = jostle::explore::program_path();
  return self.substr(0, self.rfind('/') + 1);
}

}  // namespace

double native_seconds(const char* workload) {
  return seconds_of(folder() + "jostle_bench_native", workload);
}

bool run_slowdown(const Settings& s) {
  Table table({"program", "native ms", "libtsan", "Jostle", "libtsan / Jostle"});
  bool good = true;
  for (const Workload& w : kWorkload) {
    std::vector<double> native, tsan, ours;
    for (int i = 0; i < (s.quick ? 1 : 5); ++i) {
      native.push_back(native_seconds(w.name));
      const double t = seconds_of(folder() + "jostle_bench_tsan", w.name);
      tsan.push_back(t / native.back());
      ours.push_back(seconds_here(w) / native.back());
    }
    const double a = median(tsan), b = median(ours);
    good = good && b > 0;
    table.row({w.text, number(1000 * median(native), 1), number(a, 1) + "x", number(b, 1) + "x",
               number(a / b, 1)});
  }
  table.print();
  return good;
}

}  // namespace jostle_bench

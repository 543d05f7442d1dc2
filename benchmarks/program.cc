// Whole programs: `jostle run` on a small one, in both kinds of isolation, and `jostle check`.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "benchmarks/bench.h"

namespace jostle_bench {
namespace {

// What `jostle run`, or another verb, says about its speed.
double rate(const std::string& options, double length, const char* verb = "run") {
  char budget[64];
  std::snprintf(budget, sizeof budget, " --budget %gs ", length);
  const std::string command = std::string(JOSTLE_BIN) + "/jostle " + verb + " " + options + budget +
                              "-- " + JOSTLE_BIN + "/jostle_bench_program 2>&1";
  FILE* p = popen(command.c_str(), "r");
  if (!p) return std::nan("");
  double found = std::nan("");
  char line[500];
  while (std::fgets(line, sizeof line, p)) {
    double n = 0;
    if (std::sscanf(line, "jostle: %*s %*d executions (%lf/s), nothing found", &n) == 1) found = n;
  }
  pclose(p);
  return found;
}

}  // namespace

bool run_program(const Settings& s) {
  const double length = s.quick ? 1 : 3;
  const int rounds = s.quick ? 1 : 3;
  std::vector<double> snapshot, forked, checked, ratio, two, side_by_side, parallel;
  for (int i = 0; i < rounds; ++i) {
    snapshot.push_back(rate("", length));
    forked.push_back(rate("--isolation fork", length));
    ratio.push_back(snapshot.back() / forked.back());
    checked.push_back(rate("", length, "check"));
    two.push_back(rate("-j 2", length));
    double other = 0;
    std::thread second([&] { other = rate("--seed 2", length); });
    const double one = rate("--seed 1", length);
    second.join();
    side_by_side.push_back(one + other);
    parallel.push_back(two.back() / side_by_side.back());
  }
  Table table({"jostle run, a program of 3 threads", "executions/s", "target"});
  auto met = [](double v, double limit) {
    return ">= " + number(limit, limit < 10 ? 2 : 0) + (v >= limit ? ": met" : ": missed");
  };
  table.row({"isolation=snapshot", number(median(snapshot)), met(median(snapshot), 30000)});
  table.row({"isolation=fork", number(median(forked)), ""});
  table.row({"ratio", number(median(ratio), 1), met(median(ratio), 5)});
  table.row({"jostle check", number(median(checked)), met(median(checked), 15000)});
  table.row({"-j 2", number(median(two)), ""});
  table.row({"two runs side by side, the sum", number(median(side_by_side)), ""});
  table.row({"ratio", number(median(parallel), 2), met(median(parallel), 0.95)});
  table.print();
  return median(snapshot) > 0 && median(forked) > 0;
}

}  // namespace jostle_bench

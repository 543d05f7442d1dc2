#include <cstdio>

#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"
#include "benchmarks/workload/workload.h"

namespace jostle_bench {

using jostle::Options;

// What it costs to look.
bool compare_overhead(const Settings& settings) {
  const std::vector<Body> all = large_bodies();
  std::printf("\nTime of an execution, in microseconds: alone, and measured.\n\n");
  Table t({"subject", "alone", "measured", "ratio"});
  std::vector<double> ratios;
  for (const Body& s : all) {
    double us[2];
    for (const bool measured : {false, true})
      us[measured] = in_child([&] {
        silence();
        pin_to_one_core();
        Options o = quiet_options();
        o.strategy = "random";
        o.executions = settings.quick ? 300 : 3000;
        o.keep_going = true;
        o.coverage = measured;
        const jostle::Result r = jostle::run(s.run, o);
        return 1e6 * r.seconds / static_cast<double>(r.executions);
      });
    ratios.push_back(us[1] / us[0]);
    t.row({s.name, number(us[0], 1), number(us[1], 1), number(us[1] / us[0], 1)});
  }
  t.row({"median", "", "", number(median(ratios), 1)});
  t.print();

  std::printf(
      "\nPrograms that compute, one execution in multiples of the native time: under random, with\n"
      "what is exposed observed, and by cover, with prediction. Maple: 5 to 200, 50 in the "
      "mean.\n\n");
  Table native({"program", "native ms", "random", "observed", "cover"});
  for (const Workload& w : kWorkload) {
    const double alone = native_seconds(w.name);
    std::vector<std::string> row = {w.text, number(1000 * alone, 1)};
    for (const int way : {0, 1, 2}) {
      const double each = in_child([&] {
        silence();
        Options o = quiet_options();
        o.strategy = way == 2 ? "cover" : "random";
        o.coverage = way == 1;
        o.executions = 4;
        o.keep_going = true;
        const jostle::Result r = jostle::run(w.run, o);
        return r.seconds / static_cast<double>(r.executions);
      });
      row.push_back(number(each / alone, 1) + "x");
    }
    native.row(row);
  }
  native.print();
  return true;
}

}  // namespace jostle_bench

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"
#include "benchmarks/workload/workload.h"
#include "strategies/active.h"

namespace jostle_bench {

using jostle::Options;

namespace {

// Processor time of each execution from the first on to the last. What a search does before and
// after its executions is not counted, unless `first` is 0.
double each(const Workload& w, const char* strategy, bool observed, std::uint64_t first,
            std::uint64_t last) {
  const auto all = [&](std::uint64_t executions) {
    return in_child([&] {
      silence();
      Options o = quiet_options();
      o.strategy = strategy;
      o.coverage = observed;
      o.executions = executions;
      o.keep_going = true;
      const double begin = cpu_seconds();
      const jostle::Result r = jostle::run(w.run, o);
      return r.executions == executions ? cpu_seconds() - begin : std::nan("");
    });
  };
  const double before = first > 0 ? all(first) : 0;
  return (all(last) - before) / static_cast<double>(last - first);
}

// As cover has them made, after an execution that aims at nothing: what the second thread and the
// first do to the lock that they share is the aim.
double active_execution(const Workload& w) {
  return in_child([&] {
    Controlled c;
    auto& log = *static_cast<jostle::AccessLog*>(jostle::map_pages(sizeof(jostle::AccessLog)));
    auto& places =
        *static_cast<jostle::SharedPlaces*>(jostle::map_pages(sizeof(jostle::SharedPlaces)));
    auto& frequent =
        *static_cast<jostle::Engine::Indices*>(jostle::map_pages(sizeof(jostle::Engine::Indices)));
    jostle::Active active;
    const auto execute = [&](const jostle::Engine::Indices* skipped) {
      jostle::engine().log_accesses(&log, &places, skipped);
      jostle::engine().clear_sites();
      const double begin = cpu_seconds();
      const jostle::Outcome& o = c.execute(active, w.run);
      const double took = cpu_seconds() - begin;
      return o.failure.kind == jostle::FindingKind::none ? took : std::nan("");
    };
    execute(nullptr);
    jostle::engine().add_frequent(frequent);
    jostle::ActiveTarget target;
    for (std::uint32_t i = 0; i < log.count; ++i) {
      const jostle::AccessRecord& r = log.records[i];
      if (is_release(r.did)) target.at[0] = site_key(r.pc, r.did);
      if (is_acquire(r.did)) target.at[1] = site_key(r.pc, r.did);
    }
    active.aim(target);
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) times.push_back(execute(&frequent));
    return median(times);
  });
}

}  // namespace

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
      "\nPrograms that compute: processor time of one execution in multiples of that of the "
      "program\n"
      "alone. random: scheduled at random; observed: what is exposed besides; first: cover's "
      "first\n"
      "execution, which logs all it can; profile: its others, with prediction; active: by the "
      "active\n"
      "scheduler. Maple: 5 to 200 for its profiler, 50 in the mean; 30 for its active "
      "scheduler.\n\n");
  Table native({"program", "native ms", "random", "observed", "first", "profile", "active"});
  double worst = 0, worst_active = 0;
  for (const Workload& w : kWorkload) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(native_seconds(w.name));
    const double alone = median(times);
    const double random = each(w, "random", false, 2, 5), observed = each(w, "random", true, 2, 5);
    const double first = each(w, "cover", false, 0, 1), profile = each(w, "cover", false, 2, 6);
    const double active = active_execution(w);
    std::vector<std::string> row = {w.text, number(1000 * alone, 1)};
    for (const double took : {random, observed, first, profile, active})
      row.push_back(number(took / alone, 1) + "x");
    native.row(row);
    worst = std::max(worst, profile / alone);
    worst_active = std::max(worst_active, active / alone);
  }
  native.print();
  std::printf("\nThe slowest: profile %sx (%s), active %sx (%s)\n", number(worst, 1).c_str(),
              target(worst, 10, "").c_str(), number(worst_active, 1).c_str(),
              target(worst_active, 3, "").c_str());
  return true;
}

}  // namespace jostle_bench

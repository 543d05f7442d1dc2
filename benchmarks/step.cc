#include "benchmarks/bench.h"
#include "benchmarks/instrumented/bodies.h"
#include "benchmarks/micro.h"
#include "strategies/registry.h"

namespace jostle_bench {

bool run_step(const Settings& s) {
  static Controlled& controlled = *new Controlled;
  static Alternate alternate;
  static Stay stay;
  Micro micro;
  auto add = [&](const char* name, double limit, jostle::Strategy& strategy, void (*body)()) {
    micro.add(name, limit, [&strategy, body] {
      const double start = seconds();
      const jostle::Outcome& o = controlled.execute(strategy, body);
      return Sample{seconds() - start, static_cast<double>(o.decisions)};
    });
  };
  add("jostle_point(), always another thread", 60, alternate, &pointing_threads);
  add("jostle_point(), always the same thread", 0, stay, &pointing_threads);
  add("atomic increment, always another thread", 0, alternate, &counting_threads);
  add("atomic increment, always the same thread", 0, stay, &counting_threads);
  for (const jostle::StrategyEntry& e : jostle::strategies()) {
    // The others plan for the number of steps that a run measures first, or keep a search tree.
    if (e.name != "random" && e.name != "pos" && e.name != "round-robin") continue;
    static std::vector<std::string> names;
    names.reserve(16);
    names.push_back("jostle_point(), strategy " + std::string(e.name));
    add(names.back().c_str(), 0, e.instance(), &pointing_threads);
  }
  return micro.run("one step: the call, the decision, the change of threads", s.quick);
}

}  // namespace jostle_bench

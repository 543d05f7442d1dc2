// The tables of the papers that cover comes from, part by part.
#include <cstdio>

#include "benchmarks/cover/parts.h"

namespace jostle_bench {

bool run_cover(const Settings& settings) {
  static constexpr struct {
    const char* name;
    bool (*run)(const Settings&);
  } kParts[] = {{"coverage", &compare_coverage},
                {"pairs", &compare_pairs},
                {"bugs", &compare_bugs},
                {"overhead", &compare_overhead}};
  bool all = true, any = false;
  for (const auto& p : kParts)
    if (settings.part.empty() || settings.part == p.name) {
      any = true;
      all &= p.run(settings);
    }
  if (!any) {
    std::fprintf(stderr, "jostle_bench: cover has no part '%s'; there are", settings.part.c_str());
    for (const auto& p : kParts) std::fprintf(stderr, " %s", p.name);
    std::fprintf(stderr, "\n");
  }
  return all && any;
}

}  // namespace jostle_bench

// The parts of `jostle_bench cover`.
#pragma once

#include "benchmarks/bench.h"

namespace jostle_bench {

bool compare_coverage(const Settings& settings);
bool compare_pairs(const Settings& settings);
bool compare_bugs(const Settings& settings);
bool compare_overhead(const Settings& settings);

}  // namespace jostle_bench

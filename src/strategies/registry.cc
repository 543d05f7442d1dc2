#include "strategies/registry.h"

#include <new>

#include "base/mapped.h"
#include "strategies/delay_bounded.h"
#include "strategies/dfs.h"
#include "strategies/pct.h"
#include "strategies/pos.h"
#include "strategies/random.h"
#include "strategies/round_robin.h"
#include "strategies/surw.h"
#include "strategies/urw.h"

namespace jostle {
namespace {

template <class S>
Strategy& one() {
  static S& s = *new (map_pages(sizeof(S))) S();
  return s;
}

constexpr StrategyEntry kStrategies[] = {
    {"random", "sticky random walk: keep the thread with probability 1-1/s, else any", &one<Random>,
     true},
    {"round-robin", "the next thread in order of creation; the seed sets the length of a turn",
     &one<RoundRobin>, false},
    {"pct", "random priorities and d-1 random drops: P >= 1/(n k^(d-1)) for a bug of depth d",
     &one<Pct>, true},
    {"pct-large", "pct with weights instead of strict priorities (Maple)", &one<PctLarge>, true},
    {"db", "delay bounding: round robin with d random delays", &one<DelayBounded>, true},
    {"pos", "partial order sampling: random priority per operation, redrawn after a race",
     &one<Pos>, true},
    {"urw", "every interleaving equally likely, by event counts of a profiling run", &one<Urw>,
     true},
    {"surw", "urw over the accesses to one shared object, drawn per execution", &one<Surw>, true},
    {"dfs", "all schedules, depth first, without reduction: for tiny tests", &one<Dfs>, false},
};

}  // namespace

std::span<const StrategyEntry> strategies() { return kStrategies; }

int find_strategy(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kStrategies); ++i)
    if (kStrategies[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace jostle

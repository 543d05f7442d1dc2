// Maple's table of bugs (section 6.2): executions and time until known bugs are found.
#include <cstdio>

#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"
#include "benchmarks/zoo.h"

namespace jostle_bench {
namespace {

// Those that are after programs, or after what such tables have.
constexpr const char* kBugs[] = {"account",
                                 "apache_log_buffer",
                                 "bank_transfer",
                                 "cache_invalidation",
                                 "circular_buffer",
                                 "check_then_act_map",
                                 "deadlock01",
                                 "double_checked_locking",
                                 "lazy_init",
                                 "list_removal",
                                 "memcached_incr",
                                 "mozilla_gc_flags",
                                 "mysql_log_rotation",
                                 "mozilla_thread_init",
                                 "pbzip2_queue_freed",
                                 "refcount_uaf",
                                 "reorder_5",
                                 "stack_push_pop",
                                 "twostage",
                                 "wronglock"};
constexpr const char* kTools[] = {"cover", "pct", "pct-large"};
constexpr int kRepeats = 5;

struct Hunt {
  double executions, profiled, milliseconds;
  bool found;
};

}  // namespace

bool compare_bugs(const Settings& settings) {
  std::vector<ZooCase> cases;
  for (const ZooCase& c : zoo_cases(true))
    if (std::find(std::begin(kBugs), std::end(kBugs), c.name) != std::end(kBugs))
      cases.push_back(c);
  constexpr int kToolCount = std::size(kTools);
  const auto n = static_cast<int>(cases.size());
  auto* hunts = shared_array<Hunt>(static_cast<std::size_t>(n) * kToolCount * kRepeats);
  const int died = in_children(n * kToolCount * kRepeats, [&](int k) {
    silence();
    jostle::Options o = quiet_options();
    o.strategy = kTools[k / kRepeats % kToolCount];
    o.seed = 1 + static_cast<std::uint64_t>(k % kRepeats);
    o.executions = 20'000;
    o.budget = settings.limit > 0 ? settings.limit : 20;
    const double start = seconds();
    const jostle::Result r =
        jostle::run(cases[static_cast<std::size_t>(k / kRepeats / kToolCount)].body, o);
    hunts[k] = {static_cast<double>(r.executions), static_cast<double>(r.coverage.profiled),
                1000 * (seconds() - start), !r.findings.empty()};
  });
  std::printf(
      "\nExecutions until a known bug is found, at most 20 000, and milliseconds with confirming "
      "it:\nmedians of %d seeds. -: not found by most. Maple found its 13 with profile and test "
      "runs.\n\n",
      kRepeats);
  Table t({"bug", "cover: profile", "cover: test", "ms", "pct", "ms", "pct-large", "ms"});
  int found[kToolCount] = {};
  for (int i = 0; i < n; ++i) {
    std::vector<std::string> row = {cases[static_cast<std::size_t>(i)].name};
    for (int tool = 0; tool < kToolCount; ++tool) {
      std::vector<double> executions, profiled, time;
      int hits = 0;
      for (int r = 0; r < kRepeats; ++r) {
        const Hunt& h = hunts[(i * kToolCount + tool) * kRepeats + r];
        hits += h.found;
        executions.push_back(h.found ? h.executions - (tool == 0 ? h.profiled : 0) : INFINITY);
        profiled.push_back(h.profiled);
        time.push_back(h.milliseconds);
      }
      found[tool] += 2 * hits > kRepeats;
      const double e = median(executions);
      if (tool == 0) row.push_back(number(median(profiled)));
      row.push_back(std::isfinite(e) ? number(e) : "-");
      row.push_back(number(median(time)));
    }
    t.row(row);
  }
  t.row({"found", "", number(found[0]), "", number(found[1]), "", number(found[2]), ""});
  t.print();
  return died == 0;
}

}  // namespace jostle_bench

// What one search has shown, and the tools and subjects that are compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <jostle/jostle.hpp>

#include "benchmarks/bench.h"
#include "benchmarks/check/subject.h"
#include "benchmarks/cover/subject.h"

namespace jostle_bench {

// Plain data: it is handed over in shared memory.
struct Shown {
  static constexpr std::uint32_t kItems = 1u << 15;
  enum Stage : std::uint8_t { kOpen, kClosure, kSaturation, kSolver, kActive, kPlan, kSampling };
  struct Item {
    std::uint64_t id;
    std::uint32_t execution;  // first; 0: predicted, but never shown
    std::uint8_t idiom;       // 7: a pair
    Stage stage;
    bool predicted, infeasible;
  };
  std::uint64_t executions, profiled, attempted;
  double seconds;  // of processor time
  std::uint32_t count;
  bool cut, finding;
  Item item[kItems];

  static Stage stage_of(const std::string& s) {
    constexpr const char* kNames[] = {"",       "closure", "saturation", "z3",
                                      "active", "plan",    "sampling"};
    for (std::size_t i = 0; i < std::size(kNames); ++i)
      if (s == kNames[i]) return static_cast<Stage>(i);
    return kOpen;
  }

  // Searches in this process.
  void take(void (*body)(), const jostle::Options& o) {
    const double begin = cpu_seconds();
    const jostle::Result r = jostle::run(body, o);
    seconds = cpu_seconds() - begin;
    executions = r.executions;
    profiled = r.coverage.profiled;
    attempted = r.coverage.attempted;
    finding = !r.findings.empty() || !r.error.empty();
    for (const auto& i : r.coverage.items) {
      if (count == kItems) {
        cut = true;
        break;
      }
      const auto idiom = i.metric == "pair" ? 7 : i.metric.back() - '0';
      item[count++] = {std::hash<std::string>()(i.id),
                       static_cast<std::uint32_t>(i.exposed ? i.execution : 0),
                       static_cast<std::uint8_t>(idiom),
                       stage_of(i.decided_by),
                       i.predicted,
                       !i.infeasible.empty()};
    }
  }
  std::size_t shown(std::uint64_t within = ~0ull) const {
    return static_cast<std::size_t>(std::count_if(item, item + count, [&](const Item& i) {
      return i.execution > 0 && i.execution <= within;
    }));
  }
  // After how many executions so many were shown; infinite if never.
  double reaches(double goal) const {
    std::vector<std::uint32_t> first;
    for (std::uint32_t i = 0; i < count; ++i)
      if (item[i].execution > 0) first.push_back(item[i].execution);
    std::sort(first.begin(), first.end());
    const auto n = static_cast<std::size_t>(std::ceil(goal));
    return n == 0 ? 0 : n > first.size() ? INFINITY : first[n - 1];
  }
};

inline jostle::Options quiet_options() {
  return {.metric = jostle::Options::Metric::all,
          .memo = "none",
          .minimize = false,
          .output = "/tmp/jostle-bench-cover",
          .quiet = true};
}

struct Tool {
  const char* name;
  const char* strategy;
};

struct Body {
  const char* name;
  void (*run)();
};
inline std::vector<Body> large_bodies(const std::string& only = "") {
  std::vector<Body> all;
  for (const CoverSubject* s = cover_subjects(); s; s = s->next)
    if (only.empty() || only == s->name) all.push_back({s->name, s->body});
  std::sort(all.begin(), all.end(),
            [](const Body& a, const Body& b) { return std::strcmp(a.name, b.name) < 0; });
  return all;
}
inline std::vector<Body> small_bodies(const std::string& only = "") {
  std::vector<Body> all;
  for (const Subject* s = subjects(); s; s = s->next)
    if (only.empty() || only == s->name) all.push_back({s->name, s->brief_correct});
  std::sort(all.begin(), all.end(),
            [](const Body& a, const Body& b) { return std::strcmp(a.name, b.name) < 0; });
  return all;
}

}  // namespace jostle_bench

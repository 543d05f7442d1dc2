// The tables of the papers that cover comes from: coverage at equal executions by strategy, how
// many of the predicted interleavings are exposed, synchronization pairs, and what measuring costs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <jostle/jostle.hpp>
#include <map>
#include <set>

#include "benchmarks/bench.h"
#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

using jostle::Options;

// What one search has shown. Plain data: it is handed over in shared memory.
struct Shown {
  static constexpr std::uint32_t kItems = 1u << 14;
  struct Item {
    std::uint64_t id;
    std::uint32_t execution;  // first; 0: predicted, but never shown
    std::uint8_t idiom;       // 7: a pair
    bool predicted, infeasible;
  };
  std::uint64_t executions;
  double seconds;
  std::uint32_t count;
  bool cut, finding;
  Item item[kItems];

  void take(const jostle::Result& r) {
    executions = r.executions;
    seconds = r.seconds;
    finding = !r.findings.empty() || !r.error.empty();
    for (const auto& i : r.coverage.items) {
      if (count == kItems) {
        cut = true;
        break;
      }
      const auto idiom = i.metric == "pair" ? 7 : i.metric.back() - '0';
      item[count++] = {std::hash<std::string>()(i.id),
                       static_cast<std::uint32_t>(i.exposed ? i.execution : 0),
                       static_cast<std::uint8_t>(idiom), i.predicted, !i.infeasible.empty()};
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

Options quiet_options() {
  return {.metric = Options::Metric::all,
          .memo = "none",
          .minimize = false,
          .output = "/tmp/jostle-bench-cover",
          .quiet = true};
}

struct Tool {
  const char* name;
  const char* strategy;
};
constexpr Tool kTools[] = {{"cover", "cover"}, {"portfolio", "portfolio"}, {"random", "random"},
                           {"pct", "pct"},     {"pct-large", "pct-large"}, {"pos", "pos"},
                           {"surw", "surw"},   {"delay bounding", "db"},   {"check(2)", "check"}};
constexpr int kToolCount = std::size(kTools);

std::vector<const Subject*> sorted() {
  std::vector<const Subject*> all;
  for (const Subject* s = subjects(); s; s = s->next) all.push_back(s);
  std::sort(all.begin(), all.end(),
            [](const Subject* a, const Subject* b) { return std::strcmp(a->name, b->name) < 0; });
  return all;
}

jostle::Result search(const Tool& t, const Subject& s, std::uint64_t executions, double budget) {
  Options o = quiet_options();
  o.strategy = t.strategy;
  o.executions = executions;
  o.budget = budget;
  o.coverage = true;
  o.keep_going = true;
  if (std::strcmp(t.strategy, "check") == 0) o.preemptions = "2";
  return jostle::run(s.brief_correct, o);
}

bool equal_executions(const Settings& settings) {
  const std::vector<const Subject*> all = sorted();
  const auto n = static_cast<int>(all.size());
  auto* shown = shared_array<Shown>(static_cast<std::size_t>(n) * kToolCount);
  const auto at = [&](int subject, int tool) -> Shown& {
    return shown[subject * kToolCount + tool];
  };
  const double budget = settings.limit > 0 ? settings.limit : settings.quick ? 2 : 20;
  int died = in_children(n, [&](int i) {
    silence();
    at(i, 0).take(search(kTools[0], *all[static_cast<std::size_t>(i)], 20'000, budget));
  });
  died += in_children(n * (kToolCount - 1), [&](int k) {
    silence();
    const int i = k / (kToolCount - 1), tool = 1 + k % (kToolCount - 1);
    at(i, tool).take(
        search(kTools[tool], *all[static_cast<std::size_t>(i)], at(i, 0).executions, budget));
  });
  std::printf(
      "Interleavings exposed (iRoots of all idioms and synchronization pairs), in %% of what all\n"
      "tools together exposed, after as many executions as cover needs until nothing is left to\n"
      "be tried. *: not all of them could be made within %g s.\n\n",
      budget);
  std::vector<std::string> head = {"subject", "executions", "together"};
  for (const Tool& t : kTools) head.emplace_back(t.name);
  Table table(head);
  std::vector<std::vector<double>> shares(kToolCount), needed(kToolCount);
  for (int i = 0; i < n; ++i) {
    std::set<std::uint64_t> together;
    for (int t = 0; t < kToolCount; ++t)
      for (std::uint32_t k = 0; k < at(i, t).count; ++k)
        if (at(i, t).item[k].execution > 0) together.insert(at(i, t).item[k].id);
    std::vector<std::string> row = {all[static_cast<std::size_t>(i)]->name,
                                    number(static_cast<double>(at(i, 0).executions)),
                                    number(static_cast<double>(together.size()))};
    for (int t = 0; t < kToolCount; ++t) {
      const Shown& s = at(i, t);
      const double share = together.empty() ? 100
                                            : 100.0 * static_cast<double>(s.shown()) /
                                                  static_cast<double>(together.size());
      shares[static_cast<std::size_t>(t)].push_back(share);
      needed[static_cast<std::size_t>(t)].push_back(
          s.reaches(0.95 * static_cast<double>(together.size())));
      const bool short_of = s.executions < at(i, 0).executions && t != 8;
      row.push_back(number(share, 0) + (short_of ? "*" : "") + (s.finding || s.cut ? "!" : ""));
    }
    table.row(row);
  }
  std::vector<std::string> row = {"mean", "", ""};
  for (const auto& s : shares) {
    double sum = 0;
    for (const double v : s) sum += v;
    row.push_back(number(sum / static_cast<double>(s.size()), 1));
  }
  table.row(row);
  table.print();
  std::printf("\nExecutions until 95 %% of what all tools exposed is reached; -: not reached.\n\n");
  Table reach(head);
  for (int i = 0; i < n; ++i) {
    row = {all[static_cast<std::size_t>(i)]->name, "", ""};
    for (int t = 0; t < kToolCount; ++t) {
      const double v = needed[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)];
      row.push_back(std::isfinite(v) ? number(v) : "-");
    }
    reach.row(row);
  }
  reach.print();

  // Maple's Table 4: of what was predicted, how much could be exposed.
  std::printf("\nPredicted interleavings that cover exposed, over all subjects.\n\n");
  constexpr const char* kPaper[] = {"28", "17", "9", "10", "9", "-", "-"};
  Table rate({"idiom", "predicted", "infeasible", "exposed", "% of predicted", "Maple, %",
              "% of what is not infeasible", "exposed without prediction"});
  for (int idiom = 1; idiom <= 7; ++idiom) {
    double predicted = 0, infeasible = 0, exposed = 0, surprise = 0;
    for (int i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < at(i, 0).count; ++k) {
        const Shown::Item& item = at(i, 0).item[k];
        if (item.idiom != idiom) continue;
        predicted += item.predicted;
        infeasible += item.infeasible;
        exposed += item.predicted && item.execution > 0;
        surprise += !item.predicted && item.execution > 0;
      }
    rate.row({idiom == 7 ? "pairs" : std::to_string(idiom), number(predicted), number(infeasible),
              number(exposed), number(100 * exposed / predicted), kPaper[idiom - 1],
              number(100 * exposed / (predicted - infeasible)), number(surprise)});
  }
  rate.print();
  return died == 0;
}

// The second paper's studies 1, 3 and 4, on one seed after another.
bool pairs(const Settings& settings) {
  const std::vector<const Subject*> all = sorted();
  const auto n = static_cast<int>(all.size());
  const int repeats = settings.quick ? 3 : 10;
  constexpr int kWays = 3;  // the controller; without rule 3; random
  auto* shown =
      shared_array<Shown>(static_cast<std::size_t>(n) * kWays * static_cast<std::size_t>(repeats));
  const int died = in_children(n * kWays * repeats, [&](int k) {
    silence();
    const int i = k / (kWays * repeats), way = k / repeats % kWays;
    Options o = quiet_options();
    o.metric = Options::Metric::pairs;
    o.seed = 1 + static_cast<std::uint64_t>(k % repeats);
    o.executions = 500;
    o.budget = 10;
    o.coverage = true;
    o.keep_going = true;
    o.estimates = way == 0;
    o.strategy = way == 2 ? "random" : "cover";
    shown[k].take(jostle::run(all[static_cast<std::size_t>(i)]->brief_correct, o));
  });
  std::printf(
      "\nSynchronization pairs: medians of %d seeds. cover ends by itself; random makes 500\n"
      "executions. \"until\": executions until the last pair that was exposed.\n\n",
      repeats);
  Table t({"subject", "estimated", "cover", "until", "without rule 3", "until", "random", "until"});
  for (int i = 0; i < n; ++i) {
    std::vector<std::string> row = {all[static_cast<std::size_t>(i)]->name};
    for (int way = 0; way < kWays; ++way) {
      std::vector<double> count, until, estimated;
      for (int r = 0; r < repeats; ++r) {
        const Shown& s = shown[(i * kWays + way) * repeats + r];
        count.push_back(static_cast<double>(s.shown()));
        until.push_back(s.reaches(static_cast<double>(s.shown())));
        estimated.push_back(static_cast<double>(std::count_if(
            s.item, s.item + s.count, [](const Shown::Item& x) { return x.predicted; })));
      }
      if (way == 0) row.push_back(number(median(estimated)));
      row.push_back(number(median(count)));
      row.push_back(number(median(until)));
    }
    t.row(row);
  }
  t.print();
  return died == 0;
}

// What it costs to look.
bool overhead(const Settings& settings) {
  const std::vector<const Subject*> all = sorted();
  std::printf("\nTime of an execution, in microseconds: alone, and measured.\n\n");
  Table t({"subject", "alone", "measured", "ratio"});
  std::vector<double> ratios;
  for (const Subject* s : all) {
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
        const jostle::Result r = jostle::run(s->brief_correct, o);
        return 1e6 * r.seconds / static_cast<double>(r.executions);
      });
    ratios.push_back(us[1] / us[0]);
    t.row({s->name, number(us[0], 1), number(us[1], 1), number(us[1] / us[0], 1)});
  }
  t.row({"median", "", "", number(median(ratios), 1)});
  t.print();
  return true;
}

}  // namespace

bool run_cover(const Settings& settings) {
  const bool first = equal_executions(settings);
  const bool second = pairs(settings);
  return overhead(settings) && first && second;
}

}  // namespace jostle_bench

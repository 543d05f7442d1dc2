// Coverage by strategy, at equal executions and at equal time, and what became of predictions.
#include <cstdio>
#include <set>

#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"

namespace jostle_bench {
namespace {

using jostle::Options;

constexpr Tool kTools[] = {{"cover", "cover"},   {"pct", "pct"},   {"pct-large", "pct-large"},
                           {"pos", "pos"},       {"surw", "surw"}, {"delay bounding", "db"},
                           {"check(2)", "check"}};
constexpr int kToolCount = std::size(kTools);

Options options_of(const Tool& t, std::uint64_t executions, double budget) {
  Options o = quiet_options();
  o.strategy = t.strategy;
  o.executions = executions;
  o.budget = budget;
  o.coverage = true;
  o.keep_going = true;
  if (std::strcmp(t.strategy, "check") == 0) o.preemptions = "2";
  return o;
}

struct Comparison {
  std::vector<Body> bodies;
  Shown* shown;  // by subject and tool
  const Shown& at(std::size_t subject, int tool) const {
    return shown[subject * kToolCount + static_cast<std::size_t>(tool)];
  }
};

std::set<std::uint64_t> together(const Comparison& c, std::size_t subject) {
  std::set<std::uint64_t> all;
  for (int t = 0; t < kToolCount; ++t)
    for (std::uint32_t k = 0; k < c.at(subject, t).count; ++k)
      if (c.at(subject, t).item[k].execution > 0) all.insert(c.at(subject, t).item[k].id);
  return all;
}

std::vector<std::string> head() {
  std::vector<std::string> h = {"subject", "executions", "together"};
  for (const Tool& t : kTools) h.emplace_back(t.name);
  return h;
}

void print_shares(const Comparison& c) {
  Table table(head());
  std::vector<double> sums(kToolCount);
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    const auto all = static_cast<double>(together(c, i).size());
    std::vector<std::string> row = {
        c.bodies[i].name, number(static_cast<double>(c.at(i, 0).executions)), number(all)};
    for (int t = 0; t < kToolCount; ++t) {
      const Shown& s = c.at(i, t);
      const double share = all > 0 ? 100 * static_cast<double>(s.shown()) / all : 100;
      sums[static_cast<std::size_t>(t)] += share;
      row.push_back(number(share, 1) + (s.finding || s.cut ? "!" : ""));
    }
    table.row(row);
  }
  std::vector<std::string> row = {"mean", "", ""};
  for (const double s : sums) row.push_back(number(s / static_cast<double>(c.bodies.size()), 1));
  table.row(row);
  table.print();
}

void print_reach(const Comparison& c) {
  std::vector<std::string> h = head();
  h.emplace_back("cover / second best");
  Table table(h);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    const auto all = static_cast<double>(together(c, i).size());
    std::vector<std::string> row = {c.bodies[i].name, "", number(all)};
    double own = INFINITY, best = INFINITY;
    for (int t = 0; t < kToolCount; ++t) {
      const double v = c.at(i, t).reaches(0.95 * all);
      (t == 0 ? own : best) = t == 0 ? v : std::min(best, v);
      row.push_back(std::isfinite(v) ? number(v) : "-");
    }
    // Not reached by the others at all: within as many executions as there were.
    if (!std::isfinite(best) && std::isfinite(own))
      best = static_cast<double>(c.at(i, 0).executions);
    ratios.push_back(own / best);
    row.push_back(std::isfinite(ratios.back()) ? number(ratios.back(), 2) : "-");
    table.row(row);
  }
  std::vector<std::string> row(h.size());
  row[0] = "median";
  row.back() = number(median(ratios), 2);
  table.row(row);
  table.print();
}

// Maple's Table 4: of what was predicted, how much could be exposed.
void print_rates(const Comparison& c) {
  std::printf("\nWhat became of predictions, over these subjects.\n\n");
  constexpr const char* kPaper[] = {"28", "17", "9", "10", "9", "-", "-"};
  Table rate({"idiom", "predicted", "infeasible", "exposed", "% of predicted", "Maple, %",
              "% of what is not infeasible", "exposed without prediction"});
  Table stages({"idiom", "infeasible: closure", "infeasible: Z3", "exposed: saturation",
                "exposed: Z3", "exposed: active scheduler", "exposed: plan", "exposed: sampling",
                "open"});
  for (int idiom = 1; idiom <= 7; ++idiom) {
    double predicted = 0, infeasible = 0, exposed = 0, surprise = 0;
    double stage[2][7] = {};
    for (std::size_t i = 0; i < c.bodies.size(); ++i)
      for (std::uint32_t k = 0; k < c.at(i, 0).count; ++k) {
        const Shown::Item& item = c.at(i, 0).item[k];
        if (item.idiom != idiom) continue;
        predicted += item.predicted;
        infeasible += item.infeasible;
        exposed += item.predicted && item.execution > 0;
        surprise += !item.predicted && item.execution > 0;
        if (item.predicted) ++stage[item.execution > 0][item.stage];
      }
    const std::string name = idiom == 7 ? "pairs" : std::to_string(idiom);
    rate.row({name, number(predicted), number(infeasible), number(exposed),
              number(100 * exposed / predicted), kPaper[idiom - 1],
              number(100 * exposed / (predicted - infeasible)), number(surprise)});
    stages.row({name, number(stage[0][Shown::kClosure]), number(stage[0][Shown::kSolver]),
                number(stage[1][Shown::kSaturation]), number(stage[1][Shown::kSolver]),
                number(stage[1][Shown::kActive]), number(stage[1][Shown::kPlan]),
                number(stage[1][Shown::kSampling]), number(stage[0][Shown::kOpen])});
  }
  rate.print();
  std::printf("\nWhich stage decided: how many of the predicted.\n\n");
  stages.print();
}

Comparison equal_executions(const std::vector<Body>& bodies, std::uint64_t most, double budget,
                            int& died) {
  Comparison c{bodies, shared_array<Shown>(bodies.size() * kToolCount)};
  const auto n = static_cast<int>(bodies.size());
  const auto search = [&](int i, int tool, std::uint64_t executions) {
    silence();
    const auto subject = static_cast<std::size_t>(i);
    c.shown[subject * kToolCount + static_cast<std::size_t>(tool)].take(
        jostle::run(bodies[subject].run, options_of(kTools[tool], executions, budget)));
  };
  died += in_children(n, [&](int i) { search(i, 0, most); });
  died += in_children(n * (kToolCount - 1), [&](int k) {
    const int i = k / (kToolCount - 1);
    search(i, 1 + k % (kToolCount - 1), c.at(static_cast<std::size_t>(i), 0).executions);
  });
  return c;
}

// As many executions as each makes in the time that cover took, when nothing is measured.
Comparison equal_time(const Comparison& first, std::uint64_t most, double budget, int& died) {
  Comparison c{first.bodies, shared_array<Shown>(first.bodies.size() * kToolCount)};
  for (std::size_t i = 0; i < c.bodies.size(); ++i) c.shown[i * kToolCount] = first.at(i, 0);
  const auto n = static_cast<int>(c.bodies.size());
  died += in_children(n * (kToolCount - 1), [&](int k) {
    silence();
    const auto i = static_cast<std::size_t>(k / (kToolCount - 1));
    const int tool = 1 + k % (kToolCount - 1);
    Options o = options_of(kTools[tool], 2000, budget);
    o.coverage = false;
    const jostle::Result alone = jostle::run(c.bodies[i].run, o);
    const double each = alone.seconds / static_cast<double>(alone.executions);
    const auto as_many = static_cast<std::uint64_t>(c.at(i, 0).seconds / each);
    c.shown[i * kToolCount + static_cast<std::size_t>(tool)].take(
        jostle::run(c.bodies[i].run, options_of(kTools[tool], std::min(as_many, most), 0)));
  });
  return c;
}

}  // namespace

bool compare_coverage(const Settings& settings) {
  const double budget = settings.limit > 0 ? settings.limit : settings.quick ? 10 : 60;
  const std::uint64_t most = settings.quick ? 500 : 3000;
  int died = 0;
  for (const bool large : {true, false}) {
    const Comparison c =
        equal_executions(large ? large_bodies() : small_bodies(), most, budget, died);
    std::printf(
        "\n%s: interleavings exposed (iRoots of all idioms and synchronization pairs),\nin %% of "
        "what all tools together exposed, after as many executions as cover makes until\nnothing "
        "is left to be tried, at most %llu or %g s.\n\n",
        large ? "Parts of programs (benchmarks/cover/subjects)"
              : "Parts of libraries with short tests (benchmarks/check/subjects)",
        static_cast<unsigned long long>(most), budget);
    print_shares(c);
    std::printf("\nExecutions until 95 %% of that is reached; -: not reached.\n\n");
    print_reach(c);
    print_rates(c);
    if (!large) continue;
    const std::uint64_t limit = settings.quick ? 5000 : 30'000;
    std::printf(
        "\nThe same at equal time: as many executions as the others make in cover's time when\n"
        "nothing is measured, at most %llu.\n\n",
        static_cast<unsigned long long>(limit));
    print_shares(equal_time(c, limit, budget, died));
  }
  return died == 0;
}

}  // namespace jostle_bench

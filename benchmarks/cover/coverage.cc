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
// Tools like those that Maple was compared with; the others are younger.
constexpr bool kOfThePaper[] = {false, true, true, false, false, true, true};
static_assert(std::size(kOfThePaper) == kToolCount);

Options options_of(const Tool& t, std::uint64_t seed, std::uint64_t executions, double budget) {
  Options o = quiet_options();
  o.strategy = t.strategy;
  o.seed = seed;
  o.executions = executions;
  o.budget = budget;
  o.coverage = true;
  o.keep_going = true;
  if (std::strcmp(t.strategy, "check") == 0) o.preemptions = "2";
  return o;
}

struct Comparison {
  std::vector<Body> bodies;
  std::uint32_t seeds;
  Shown* shown;  // by subject, seed and tool
  Comparison(std::vector<Body> all, std::uint32_t n)
      : bodies(std::move(all)),
        seeds(n),
        shown(shared_array<Shown>((bodies.size() + 1) * n * kToolCount)) {}

  Shown& at(std::size_t subject, std::uint32_t seed, int tool) const {
    return shown[(subject * seeds + seed) * kToolCount + static_cast<std::size_t>(tool)];
  }
  // How many all tools have exposed together.
  double together(std::size_t subject, std::uint32_t seed) const {
    std::set<std::uint64_t> all;
    for (int t = 0; t < kToolCount; ++t) {
      const Shown& s = at(subject, seed, t);
      for (std::uint32_t k = 0; k < s.count; ++k)
        if (s.item[k].execution > 0) all.insert(s.item[k].id);
    }
    return static_cast<double>(all.size());
  }
  // The median over the seeds of what f(seed) says.
  template <class F>
  double over_seeds(F f) const {
    std::vector<double> v;
    for (std::uint32_t s = 0; s < seeds; ++s) v.push_back(f(s));
    return median(v);
  }
  // In percent of what all have exposed; the median over the seeds.
  double share(std::size_t subject, int tool, std::uint64_t within = ~0ull) const {
    return over_seeds([&](std::uint32_t seed) {
      const double all = together(subject, seed);
      return all > 0 ? 100 * static_cast<double>(at(subject, seed, tool).shown(within)) / all : 100;
    });
  }
};

std::vector<std::string> head(const char* second) {
  std::vector<std::string> h = {"subject", second, "together"};
  for (const Tool& t : kTools) h.emplace_back(t.name);
  return h;
}

void print_shares(const Comparison& c) {
  Table table(head("executions"));
  std::vector<double> sums(kToolCount);
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    std::vector<std::string> row = {
        c.bodies[i].name, number(c.over_seeds([&](std::uint32_t s) {
          return static_cast<double>(c.at(i, s, 0).executions);
        })),
        number(c.over_seeds([&](std::uint32_t s) { return c.together(i, s); }))};
    for (int t = 0; t < kToolCount; ++t) {
      const double share = c.share(i, t);
      sums[static_cast<std::size_t>(t)] += share;
      bool odd = false;
      for (std::uint32_t s = 0; s < c.seeds; ++s) odd |= c.at(i, s, t).finding | c.at(i, s, t).cut;
      row.push_back(number(share, 1) + (odd ? "!" : ""));
    }
    table.row(row);
  }
  std::vector<std::string> row = {"mean", "", ""};
  for (const double s : sums) row.push_back(number(s / static_cast<double>(c.bodies.size()), 1));
  table.row(row);
  table.print();
}

// How coverage grows: the mean over the subjects.
void print_curves(const Comparison& c) {
  std::vector<std::string> h = {"executions"};
  for (const Tool& t : kTools) h.emplace_back(t.name);
  Table table(h);
  for (std::uint64_t within = 1; within <= 4096; within *= 2) {
    std::vector<std::string> row = {number(static_cast<double>(within))};
    for (int t = 0; t < kToolCount; ++t) {
      double sum = 0;
      for (std::size_t i = 0; i < c.bodies.size(); ++i) sum += c.share(i, t, within);
      row.push_back(number(sum / static_cast<double>(c.bodies.size()), 1));
    }
    table.row(row);
    bool more = false;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) more |= c.at(i, 0, 0).executions > within;
    if (!more) break;
  }
  table.print();
}

void print_reach(const Comparison& c) {
  std::vector<std::string> h = head("");
  h.emplace_back("cover / second best");
  Table table(h);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    const auto reaches = [&](std::uint32_t seed, int tool) {
      return c.at(i, seed, tool).reaches(0.95 * c.together(i, seed));
    };
    std::vector<std::string> row = {
        c.bodies[i].name, "",
        number(c.over_seeds([&](std::uint32_t s) { return c.together(i, s); }))};
    for (int t = 0; t < kToolCount; ++t) {
      const double v = c.over_seeds([&](std::uint32_t s) { return reaches(s, t); });
      row.push_back(std::isfinite(v) ? number(v) : "-");
    }
    ratios.push_back(c.over_seeds([&](std::uint32_t s) {
      const double own = reaches(s, 0);
      double best = INFINITY;
      for (int t = 1; t < kToolCount; ++t) best = std::min(best, reaches(s, t));
      // Not reached by the others at all: within as many executions as there were.
      if (!std::isfinite(best)) best = static_cast<double>(c.at(i, s, 0).executions);
      return own / best;
    }));
    row.push_back(std::isfinite(ratios.back()) ? number(ratios.back(), 2) : "-");
    table.row(row);
  }
  std::vector<std::string> row(h.size());
  row[0] = "median";
  row.back() = std::isfinite(median(ratios)) ? number(median(ratios), 2) : "-";
  table.row(row);
  table.print();
}

// Maple's Table 4: of what was predicted, how much could be exposed.
void print_rates(const Comparison& c) {
  std::printf("\nWhat became of predictions, over these subjects, with the first seed.\n\n");
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
      for (std::uint32_t k = 0; k < c.at(i, 0, 0).count; ++k) {
        const Shown::Item& item = c.at(i, 0, 0).item[k];
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

// Of all subjects and seeds: f(subject, seed).
int for_all(const Comparison& c, const std::function<void(std::size_t, std::uint32_t)>& f) {
  return in_children(static_cast<int>(c.bodies.size() * c.seeds), [&](int k) {
    silence();
    f(static_cast<std::size_t>(k) / c.seeds, static_cast<std::uint32_t>(k) % c.seeds);
  });
}

int equal_executions(const Comparison& c, std::uint64_t most, double budget) {
  int died = for_all(c, [&](std::size_t i, std::uint32_t seed) {
    c.at(i, seed, 0).take(c.bodies[i].run, options_of(kTools[0], seed + 1, most, budget));
  });
  for (int t = 1; t < kToolCount; ++t)
    died += for_all(c, [&](std::size_t i, std::uint32_t seed) {
      const std::uint64_t as_many = c.at(i, seed, 0).executions;
      c.at(i, seed, t).take(c.bodies[i].run, options_of(kTools[t], seed + 1, as_many, budget));
    });
  return died;
}

// Maple's Figure 11: what others expose in the time that cover takes until it ends, in multiples of
// what cover exposes. The best of them, and how much more cover does.
void print_lead(const Comparison& c) {
  for (const bool of_the_paper : {true, false}) {
    double best = 0;
    int who = 0;
    for (int t = 1; t < kToolCount; ++t) {
      if (of_the_paper && !kOfThePaper[t]) continue;
      double sum = 0;
      for (std::size_t i = 0; i < c.bodies.size(); ++i) sum += c.share(i, t) / c.share(i, 0);
      if (const double mean = sum / static_cast<double>(c.bodies.size()); mean > best) {
        best = mean;
        who = t;
      }
    }
    std::printf("%s: %s, %.3f of what cover exposes: cover exposes %.1f %% more%s\n",
                of_the_paper ? "The best of the tools that Maple was compared with"
                             : "The best of all others",
                kTools[who].name, best, 100 / best - 100,
                of_the_paper ? (1 / best >= 1.15 ? " (Maple: 15)" : " (Maple: 15: missed)") : "");
  }
}

// How many executions they are; >: it would have been more.
void print_made(const Comparison& c, std::uint64_t most) {
  std::vector<std::string> h = {"subject", "cover, ms"};
  for (const Tool& t : kTools) h.emplace_back(t.name);
  Table table(h);
  for (std::size_t i = 0; i < c.bodies.size(); ++i) {
    std::vector<std::string> row = {
        c.bodies[i].name,
        number(c.over_seeds([&](std::uint32_t s) { return 1000 * c.at(i, s, 0).seconds; }))};
    for (int t = 0; t < kToolCount; ++t) {
      const double n = c.over_seeds(
          [&](std::uint32_t s) { return static_cast<double>(c.at(i, s, t).executions); });
      row.push_back((t > 0 && n >= static_cast<double>(most) ? ">" : "") + number(n));
    }
    table.row(row);
  }
  table.print();
}

// As many executions as each makes in the time that cover takes until it ends, when nothing is
// measured. What a search takes before its first execution counts for both.
int equal_time(const Comparison& c, std::uint64_t most, double budget) {
  int died = for_all(c, [&](std::size_t i, std::uint32_t seed) {
    c.at(i, seed, 0).take(c.bodies[i].run, options_of(kTools[0], seed + 1, most, budget));
  });
  for (int t = 1; t < kToolCount; ++t)
    died += for_all(c, [&](std::size_t i, std::uint32_t seed) {
      Options o = options_of(kTools[t], seed + 1, 1, budget);
      o.coverage = false;
      const auto takes = [&](std::uint64_t executions, std::uint64_t& made) {
        o.executions = executions;
        const double begin = cpu_seconds();
        made = jostle::run(c.bodies[i].run, o).executions;
        return cpu_seconds() - begin;
      };
      std::uint64_t one = 0, many = 0;
      const double first_one = takes(1, one), all = takes(2000, many);
      const double each = (all - first_one) / static_cast<double>(many - std::min(one, many - 1));
      const double left = std::max(0.0, c.at(i, seed, 0).seconds - first_one);
      const std::uint64_t as_many = 1 + static_cast<std::uint64_t>(left / each);
      c.at(i, seed, t)
          .take(c.bodies[i].run, options_of(kTools[t], seed + 1, std::min(as_many, most), 0));
    });
  return died;
}

}  // namespace

bool compare_coverage(const Settings& settings) {
  const double budget = settings.limit > 0 ? settings.limit : settings.quick ? 10 : 60;
  const std::uint64_t most = settings.quick ? 500 : 3000;
  const std::uint32_t seeds = settings.seeds > 0 ? settings.seeds : settings.quick ? 1 : 3;
  int died = 0;
  for (const bool large : {true, false}) {
    const Comparison c(large ? large_bodies(settings.subject) : small_bodies(settings.subject),
                       seeds);
    if (c.bodies.empty()) continue;
    died += equal_executions(c, most, budget);
    std::printf(
        "\n%s: interleavings exposed (iRoots of all idioms and synchronization pairs),\nin %% of "
        "what all tools together exposed, after as many executions as cover makes until\nnothing "
        "is left to be tried, at most %llu or %g s; medians of %u seeds.\n\n",
        large ? "Parts of programs (benchmarks/cover/subjects)"
              : "Parts of libraries with short tests (benchmarks/check/subjects)",
        static_cast<unsigned long long>(most), budget, seeds);
    print_shares(c);
    std::printf("\nThe same after so many executions, means over the subjects.\n\n");
    print_curves(c);
    std::printf("\nExecutions until 95 %% of that is reached; -: not reached.\n\n");
    print_reach(c);
    print_rates(c);
    if (!large) continue;
    constexpr std::uint64_t limit = 30'000;
    std::printf(
        "\nThe same at equal processor time: as many executions as the others make in cover's "
        "time\nwhen nothing is measured, at most %llu.\n\n",
        static_cast<unsigned long long>(limit));
    const Comparison timed(c.bodies, seeds);
    died += equal_time(timed, limit, budget);
    print_shares(timed);
    std::printf("\n");
    print_lead(timed);
    std::printf("\nExecutions that each makes in that time.\n\n");
    print_made(timed, limit);
  }
  return died == 0;
}

}  // namespace jostle_bench

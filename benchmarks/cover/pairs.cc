// Synchronization pairs: the studies of the second paper.
#include <cstdio>
#include <memory>
#include <set>

#include "base/rank_sum.h"
#include "benchmarks/cover/noise.h"
#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"
#include "cover/observer.h"
#include "cover/profiler.h"
#include "explore/session.h"
#include "strategies/pair_controller.h"
#include "strategies/random.h"

namespace jostle_bench {

using jostle::Options;

namespace {

constexpr std::uint64_t kExecutions = 500;
constexpr std::uint32_t kPercent[] = {10, 30, 50};
constexpr struct {
  const char* name;
  std::uint32_t sleep;
} kNoises[] = {{"yield", 0}, {"sleep 10", 10'000}, {"sleep 100", 100'000}};
constexpr int kNoiseWays = std::size(kNoises) * std::size(kPercent);

enum Way { kController, kWithoutRule3, kCover, kRandom, kNoise, kWays = kNoise + kNoiseWays };

// Executions under one strategy, or under the controller alone. What it goes for is estimated from
// every execution, as cover does; the paper's is from the first, and so is what study 3 looks at.
class Study {
 public:
  Study(void (*body)(), std::uint64_t seed, Shown& out)
      : body_(body), seed_(seed), out_(out), log_(*shared_array<jostle::AccessLog>(1)) {}

  void with(jostle::Strategy& strategy) {
    for (std::uint64_t n = 0; n < kExecutions; ++n) execute(strategy);
  }
  void controlled(bool rule3) {
    jostle::Random random;
    execute(random);
    jostle::covering::Items estimated;
    jostle::covering::estimate_pairs(log_.records, log_.count, estimated);
    for (const auto& i : estimated) of(i).predicted = true;
    const auto targets = std::make_unique<jostle::PairTargets>();
    const auto controller = std::make_unique<jostle::PairController>();
    targets->rule3 = rule3;
    controller->aim(*targets);
    while (out_.executions < kExecutions) {
      targets->count = 0;
      for (const auto& i : estimated)
        if (of(i).execution == 0 && targets->count < jostle::PairTargets::kMost)
          targets->pair[targets->count++] = {i.at[0], i.at[1]};
      execute(*controller);
      jostle::covering::estimate_pairs(log_.records, log_.count, estimated);
    }
  }

 private:
  Shown::Item& of(const jostle::covering::Item& i) {
    const std::uint64_t id = i.hash();
    for (std::uint32_t k = 0; k < out_.count; ++k)
      if (out_.item[k].id == id) return out_.item[k];
    out_.item[out_.count] = {id, 0, 7, Shown::kOpen, false, false};
    return out_.item[out_.count++];
  }
  void execute(jostle::Strategy& strategy) {
    static const jostle::Profile kNoProfile;
    jostle::Plan plan;
    plan.index = out_.executions++;
    plan.seed = jostle::combine64(seed_, plan.index);
    plan.stickiness = 2;
    log_.begin();
    jostle::engine().log_accesses(&log_);
    const double begin = cpu_seconds();
    jostle::engine().execute(
        plan, kNoProfile, strategy,
        {[](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(body_)},
        nullptr);
    out_.seconds += cpu_seconds() - begin;
    jostle::engine().log_accesses(nullptr);
    jostle::covering::Items exposed;
    jostle::covering::observe_pairs(jostle::covering::Execution(log_), exposed);
    for (const auto& i : exposed)
      if (Shown::Item& known = of(i); known.execution == 0)
        known.execution = static_cast<std::uint32_t>(out_.executions);
  }

  Controlled engine_;  // is set up
  void (*body_)();
  std::uint64_t seed_;
  Shown& out_;
  jostle::AccessLog& log_;
};

void make(int way, void (*body)(), std::uint64_t seed, Shown& out) {
  if (way == kCover) {
    Options o = quiet_options();
    o.metric = Options::Metric::pairs;
    o.seed = seed;
    o.executions = kExecutions;
    o.keep_going = true;
    o.strategy = "cover";
    return out.take(body, o);
  }
  Study study(body, seed, out);
  if (way <= kWithoutRule3) return study.controlled(way == kController);
  jostle::Random random;
  if (way == kRandom) return study.with(random);
  const int n = way - kNoise;
  Noise noise(kPercent[n % std::size(kPercent)], kNoises[n / std::size(kPercent)].sleep);
  study.with(noise);
}

struct Samples {
  std::vector<double> count, until, saturation, at_saturation, milliseconds;
  double mean() const {
    double sum = 0;
    for (const double c : count) sum += c;
    return sum / static_cast<double>(count.size());
  }
};

// Where the curve of a search becomes flat: the first execution after which the regression of
// coverage over a window has a coefficient r^2 below 0.1 (the paper: over 120 s). As many as there
// were, if it never does.
double saturation_of(const Shown& x) {
  constexpr std::uint64_t kWindow = 50;
  std::vector<double> curve(x.executions + 1, 0);
  for (std::uint32_t i = 0; i < x.count; ++i)
    if (x.item[i].execution > 0) ++curve[x.item[i].execution];
  for (std::size_t n = 1; n < curve.size(); ++n) curve[n] += curve[n - 1];
  for (std::uint64_t end = kWindow; end <= x.executions; ++end) {
    double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (std::uint64_t n = end - kWindow + 1; n <= end; ++n) {
      const auto at = static_cast<double>(n);
      sx += at, sy += curve[n], sxx += at * at, syy += curve[n] * curve[n], sxy += at * curve[n];
    }
    constexpr auto kN = static_cast<double>(kWindow);
    const double dx = kN * sxx - sx * sx, dy = kN * syy - sy * sy, both = kN * sxy - sx * sy;
    if (dy <= 1e-9 || both * both / (dx * dy) < 0.1) return static_cast<double>(end);
  }
  return static_cast<double>(x.executions);
}

Samples samples_of(const Shown* shown, int repeats) {
  Samples s;
  for (int r = 0; r < repeats; ++r) {
    const Shown& x = shown[r];
    s.count.push_back(static_cast<double>(x.shown()));
    s.until.push_back(x.reaches(static_cast<double>(x.shown())));
    s.saturation.push_back(saturation_of(x));
    s.at_saturation.push_back(
        static_cast<double>(x.shown(static_cast<std::uint64_t>(s.saturation.back()))));
    s.milliseconds.push_back(1000 * x.seconds * s.saturation.back() /
                             static_cast<double>(std::max<std::uint64_t>(x.executions, 1)));
  }
  return s;
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : number(p, 3); }

// All samples of one subject, by way.
struct Row {
  const char* name;
  const Shown* shown;
  int repeats;
  Samples way[kWays];
  // Of the noises of a kind, the one with the most, or the fewest, pairs.
  const Samples& noise(std::size_t kind, bool most) const {
    const Samples* best = &way[kNoise + kind * std::size(kPercent)];
    for (std::size_t k = 1; k < std::size(kPercent); ++k) {
      const Samples& s = way[kNoise + kind * std::size(kPercent) + k];
      if (most ? s.mean() > best->mean() : s.mean() < best->mean()) best = &s;
    }
    return *best;
  }
  const Samples& best_noise() const {
    const Samples* best = &noise(0, true);
    for (std::size_t kind = 1; kind < std::size(kNoises); ++kind)
      if (noise(kind, true).mean() > best->mean()) best = &noise(kind, true);
    return *best;
  }
};

void print_effectiveness(const std::vector<Row>& rows) {
  std::printf(
      "\nStudy 1, effectiveness: pairs after %d executions, means of %d repeats; of each kind of "
      "noise,\nthe least and the most over the probabilities 0.1, 0.3 and 0.5 (noise in virtual "
      "time:\nbenchmarks/cover/noise.h). p: Wilcoxon's rank-sum test against the noise with the "
      "most pairs.\ncover ends by itself, after so many executions in the median.\n\n",
      static_cast<int>(kExecutions), rows.front().repeats);
  Table t({"subject", "controller", "p", "cover", "p", "executions", "random", "yield", "sleep 10",
           "sleep 100"});
  for (const Row& r : rows) {
    const Samples& best = r.best_noise();
    std::vector<double> executions;
    for (int k = 0; k < r.repeats; ++k)
      executions.push_back(static_cast<double>(r.shown[kCover * r.repeats + k].executions));
    std::vector<std::string> row = {
        r.name,
        number(r.way[kController].mean(), 1),
        p_text(jostle::rank_sum_p(r.way[kController].count, best.count)),
        number(r.way[kCover].mean(), 1),
        p_text(jostle::rank_sum_p(r.way[kCover].count, best.count)),
        number(median(executions)),
        number(r.way[kRandom].mean(), 1)};
    for (std::size_t kind = 0; kind < std::size(kNoises); ++kind)
      row.push_back(number(r.noise(kind, false).mean(), 1) + " .. " +
                    number(r.noise(kind, true).mean(), 1));
    t.row(row);
  }
  t.print();
}

// Pairs at the point of saturation, executions and processor time until then.
std::vector<std::string> saturated(const Samples& s) {
  return {number(median(s.at_saturation)), number(median(s.saturation)),
          number(median(s.milliseconds), 1)};
}

void append(std::vector<std::string>& row, std::vector<std::string> more) {
  row.insert(row.end(), more.begin(), more.end());
}

void print_efficiency(const std::vector<Row>& rows) {
  std::printf(
      "\nStudy 2, efficiency: the point of saturation, where the regression of pairs over 50 "
      "executions\nhas r^2 < 0.1: pairs, executions and milliseconds until then, medians. Of each "
      "kind of noise, the\none with the most pairs. p: of the executions against the "
      "controller's.\n\n");
  Table t({"subject", "controller", "executions", "ms",         "cover", "executions", "ms",
           "p",       "random",     "executions", "ms",         "p",     "yield",      "executions",
           "ms",      "p",          "sleep 10",   "executions", "ms",    "p"});
  for (const Row& r : rows) {
    std::vector<std::string> row = {r.name};
    append(row, saturated(r.way[kController]));
    for (const Samples* s :
         {&r.way[kCover], &r.way[kRandom], &r.noise(0, true), &r.noise(1, true)}) {
      append(row, saturated(*s));
      row.push_back(p_text(jostle::rank_sum_p(r.way[kController].saturation, s->saturation)));
    }
    t.row(row);
  }
  t.print();
}

void print_precision(const std::vector<Row>& rows) {
  std::printf(
      "\nStudy 3, precision: pairs that one execution estimates (median), pairs that the "
      "controller has\ncovered in any repeat; estimated but not covered, and the other way "
      "round (medians).\n\n");
  Table t({"subject", "estimated", "covered", "false positives", "false negatives"});
  for (const Row& r : rows) {
    std::set<std::uint64_t> covered;
    const Shown* shown = r.shown + kController * r.repeats;
    for (int k = 0; k < r.repeats; ++k)
      for (std::uint32_t i = 0; i < shown[k].count; ++i)
        if (shown[k].item[i].execution > 0) covered.insert(shown[k].item[i].id);
    std::vector<double> estimated, positives, negatives;
    for (int k = 0; k < r.repeats; ++k) {
      double all = 0, hits = 0;
      for (std::uint32_t i = 0; i < shown[k].count; ++i)
        if (shown[k].item[i].predicted) {
          all += 1;
          hits += covered.contains(shown[k].item[i].id);
        }
      estimated.push_back(all);
      positives.push_back(all - hits);
      negatives.push_back(static_cast<double>(covered.size()) - hits);
    }
    t.row({r.name, number(median(estimated)), number(static_cast<double>(covered.size())),
           number(median(positives)), number(median(negatives))});
  }
  t.print();
}

void print_rule3(const std::vector<Row>& rows) {
  std::printf(
      "\nStudy 4, the controller without and with rule 3: pairs after %d executions, means; "
      "executions\nuntil the last of them, medians; pairs, executions and milliseconds at "
      "saturation.\n\n",
      static_cast<int>(kExecutions));
  Table t({"subject", "without", "with", "p", "until without", "until with", "p", "without",
           "executions", "ms", "with", "executions", "ms"});
  for (const Row& r : rows) {
    const Samples &with = r.way[kController], &without = r.way[kWithoutRule3];
    std::vector<std::string> row = {r.name,
                                    number(without.mean(), 1),
                                    number(with.mean(), 1),
                                    p_text(jostle::rank_sum_p(with.count, without.count)),
                                    number(median(without.until)),
                                    number(median(with.until)),
                                    p_text(jostle::rank_sum_p(with.until, without.until))};
    append(row, saturated(without));
    append(row, saturated(with));
    t.row(row);
  }
  t.print();
}

}  // namespace

bool compare_pairs(const Settings& settings) {
  const std::vector<Body> all = large_bodies(settings.subject);
  if (all.empty()) return true;
  const auto n = static_cast<int>(all.size());
  const int repeats = settings.seeds > 0 ? static_cast<int>(settings.seeds)
                      : settings.quick   ? 10
                                         : 30;
  auto* shown =
      shared_array<Shown>(static_cast<std::size_t>(n) * kWays * static_cast<std::size_t>(repeats));
  const int died = in_children(n * kWays * repeats, [&](int k) {
    silence();
    make(k / repeats % kWays, all[static_cast<std::size_t>(k / (kWays * repeats))].run,
         1 + static_cast<std::uint64_t>(k % repeats), shown[k]);
  });
  std::vector<Row> rows;
  for (int i = 0; i < n; ++i) {
    Row& r = rows.emplace_back();
    r.name = all[static_cast<std::size_t>(i)].name;
    r.shown = shown + i * kWays * repeats;
    r.repeats = repeats;
    for (int way = 0; way < kWays; ++way) r.way[way] = samples_of(r.shown + way * repeats, repeats);
  }
  print_effectiveness(rows);
  print_efficiency(rows);
  print_precision(rows);
  print_rule3(rows);
  return died == 0;
}

}  // namespace jostle_bench

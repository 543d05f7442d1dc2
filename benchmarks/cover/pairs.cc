// Synchronization pairs: the studies of the second paper.
#include <cstdio>

#include "base/rank_sum.h"
#include "benchmarks/cover/parts.h"
#include "benchmarks/cover/shown.h"

namespace jostle_bench {

using jostle::Options;

namespace {

enum Way { kController, kWithoutRule3, kRandom, kWays };

struct Samples {
  std::vector<double> count, until, saturation, at_saturation, seconds, estimated, precise;
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
    s.seconds.push_back(x.seconds);
    s.saturation.push_back(saturation_of(x));
    s.at_saturation.push_back(
        static_cast<double>(x.shown(static_cast<std::uint64_t>(s.saturation.back()))));
    double estimated = 0, exposed = 0;
    for (std::uint32_t i = 0; i < x.count; ++i) {
      estimated += x.item[i].predicted;
      exposed += x.item[i].predicted && x.item[i].execution > 0;
    }
    s.estimated.push_back(estimated);
    s.precise.push_back(estimated > 0 ? 100 * exposed / estimated : 100);
  }
  return s;
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : number(p, 3); }

}  // namespace

bool compare_pairs(const Settings& settings) {
  const std::vector<Body> all = large_bodies();
  const auto n = static_cast<int>(all.size());
  const int repeats = settings.quick ? 10 : 30;
  auto* shown =
      shared_array<Shown>(static_cast<std::size_t>(n) * kWays * static_cast<std::size_t>(repeats));
  const int died = in_children(n * kWays * repeats, [&](int k) {
    silence();
    const int i = k / (kWays * repeats), way = k / repeats % kWays;
    Options o = quiet_options();
    o.metric = Options::Metric::pairs;
    o.seed = 1 + static_cast<std::uint64_t>(k % repeats);
    o.executions = 500;
    o.budget = 20;
    o.coverage = true;
    o.keep_going = true;
    o.estimates = way == kController;
    o.strategy = way == kRandom ? "random" : "cover";
    shown[k].take(all[static_cast<std::size_t>(i)].run, o);
  });
  std::printf(
      "\nSynchronization pairs: medians of %d seeds. The controller ends by itself, random makes "
      "500\nexecutions. until: executions until the last pair that was exposed. p: Wilcoxon's "
      "rank-sum\ntest of the column before against the controller's.\n\n",
      repeats);
  Table t({"subject", "estimated", "% of them exposed", "controller", "until", "ms",
           "without rule 3", "p", "until", "p", "random", "p", "until", "p"});
  for (int i = 0; i < n; ++i) {
    Samples s[kWays];
    for (int way = 0; way < kWays; ++way)
      s[way] = samples_of(shown + (i * kWays + way) * repeats, repeats);
    const Samples& own = s[kController];
    std::vector<std::string> row = {all[static_cast<std::size_t>(i)].name,
                                    number(median(own.estimated)),
                                    number(median(own.precise)),
                                    number(median(own.count)),
                                    number(median(own.until)),
                                    number(1000 * median(own.seconds))};
    for (const int way : {kWithoutRule3, kRandom}) {
      row.push_back(number(median(s[way].count)));
      row.push_back(p_text(jostle::rank_sum_p(own.count, s[way].count)));
      row.push_back(number(median(s[way].until)));
      row.push_back(p_text(jostle::rank_sum_p(own.until, s[way].until)));
    }
    t.row(row);
  }
  t.print();
  std::printf(
      "\nSaturation: executions until the regression over 50 of them has r^2 < 0.1, and pairs "
      "until\nthen. p: as above, of the executions, then of the pairs.\n\n");
  Table flat({"subject", "controller", "pairs", "without rule 3", "pairs", "p", "p", "random",
              "pairs", "p", "p"});
  for (int i = 0; i < n; ++i) {
    Samples s[kWays];
    for (int way = 0; way < kWays; ++way)
      s[way] = samples_of(shown + (i * kWays + way) * repeats, repeats);
    const Samples& own = s[kController];
    std::vector<std::string> row = {all[static_cast<std::size_t>(i)].name,
                                    number(median(own.saturation)),
                                    number(median(own.at_saturation))};
    for (const int way : {kWithoutRule3, kRandom}) {
      row.push_back(number(median(s[way].saturation)));
      row.push_back(number(median(s[way].at_saturation)));
      row.push_back(p_text(jostle::rank_sum_p(own.saturation, s[way].saturation)));
      row.push_back(p_text(jostle::rank_sum_p(own.at_saturation, s[way].at_saturation)));
    }
    flat.row(row);
  }
  flat.print();
  return died == 0;
}

}  // namespace jostle_bench

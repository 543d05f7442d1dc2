// Known bugs: how many executions each strategy needs to find them.
#include "benchmarks/zoo.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <jostle/jostle.hpp>

#include "benchmarks/bench.h"
#include "benchmarks/search.h"

namespace jostle_test {

Case*& cases() {
  static Case* first = nullptr;
  return first;
}

}  // namespace jostle_test

namespace jostle_bench {

using namespace jostle::explore;

std::vector<ZooCase> zoo_cases(bool failing) {
  std::vector<ZooCase> out;
  for (const jostle_test::Case* c = jostle_test::cases(); c; c = c->next) {
    if ((std::strcmp(c->expect, "pass") != 0) != failing) continue;
    const char* name = std::strrchr(c->file, '/');
    std::string n = name ? name + 1 : c->file;
    n.erase(n.rfind('.'));
    out.push_back({n, c->expect, c->body});
  }
  std::sort(out.begin(), out.end(),
            [](const ZooCase& a, const ZooCase& b) { return a.name < b.name; });
  return out;
}

namespace {

constexpr const char* kColumns[] = {"random", "pct",  "pct-large",   "db",    "pos",
                                    "urw",    "surw", "round-robin", "delay", "portfolio"};
constexpr int kStrategies = std::size(kColumns);
constexpr int kPortfolio = kStrategies - 1, kDelay = kStrategies - 2;

jostle::Options options_of(const char* strategy, std::uint64_t seed, std::uint64_t executions) {
  return {.strategy = strategy,
          .seed = seed,
          .executions = executions,
          .minimize = false,
          .quiet = true};
}

// Executions until the expected finding, this one included. 0: not found. Negative: another
// failure came first.
std::int64_t executions_to_find(const ZooCase& c, const jostle::Options& o) {
  const Session session = session_of(c.body, o);
  Search search(session, *Portfolio::make(o.strategy, o.depth));
  while (search.executions() < o.executions) {
    const Share& share = search.round();
    if (c.expect == "race" && search.raced()) return static_cast<std::int64_t>(search.first_race());
    if (share.out_of_time) break;
    if (!share.failed) continue;
    const auto n = static_cast<std::int64_t>(search.executions());
    if (session.kind == jostle::SearchKind::delay) return n;  // it cannot tell one from the other
    return c.expect == jostle::name_of(share.failure.kind) ? n : -n;
  }
  return 0;
}

struct Cell {
  double middle = 0;  // median; not found counts as more than anything
  int missed = 0;     // not found
  int other = 0;      // another failure was found first
};

// Does run() need as many executions as the search here?
bool agrees(const ZooCase& c, const jostle::Options& o, std::int64_t found) {
  const jostle::Result r = jostle::run(c.body, o);
  if (found == 0) return r.executions == o.executions;
  for (const jostle::Finding& f : r.findings)
    if (f.kind == c.expect) return static_cast<std::int64_t>(f.execution) == found;
  return found < 0 && static_cast<std::int64_t>(r.executions) == -found;
}

}  // namespace

bool run_zoo(const Settings& s) {
  const int seeds = s.quick ? 3 : 20;
  const std::uint64_t executions = s.quick ? 2'000 : 10'000;
  const std::vector<ZooCase> cases = zoo_cases(true);
  const int n = static_cast<int>(cases.size());
  if (n == 0) return false;

  // A process for each case, strategy and seed: as a user's run would start.
  const int all = n * kStrategies * seeds;
  constexpr std::int64_t kDied = INT64_MIN;
  auto* found = shared_array<std::int64_t>(static_cast<std::size_t>(all));
  std::fill(found, found + all, kDied);
  in_children(all, [&](int i) {
    silence();
    const int seed = i % seeds + 1, strategy = i / seeds % kStrategies,
              which = i / seeds / kStrategies;
    jostle::Options o =
        options_of(kColumns[strategy], static_cast<std::uint64_t>(seed), executions);
    if (strategy == kDelay) {  // a process for each, in real time
      o.executions = s.quick ? 20 : 100;
      o.timeout = 0.5;
    }
    o.budget = 30;  // where the machine is that busy, the bug counts as not found
    found[i] = executions_to_find(cases[static_cast<std::size_t>(which)], o);
  });
  auto result = [&](int c, int strategy, int seed) {
    return found[(c * kStrategies + strategy) * seeds + seed];
  };

  // The search here is run()'s: the first seed of the portfolio says so.
  bool* same = shared_array<bool>(static_cast<std::size_t>(n));
  in_children(n, [&](int i) {
    silence();
    char folder[] = "/tmp/jostle-bench-XXXXXX";
    jostle::Options o = options_of("portfolio", 1, executions);
    o.output = mkdtemp(folder) ? folder : "/nonexistent";
    same[i] = agrees(cases[static_cast<std::size_t>(i)], o, result(i, kPortfolio, 0));
    std::error_code ignored;
    std::filesystem::remove_all(o.output, ignored);
  });

  std::vector<std::vector<Cell>> cells(static_cast<std::size_t>(n), std::vector<Cell>(kStrategies));
  int died = 0;
  std::FILE* csv = s.csv.empty() ? nullptr : std::fopen(s.csv.c_str(), "w");
  if (csv) std::fprintf(csv, "case,expected,strategy,seed,executions\n");
  for (int c = 0; c < n; ++c)
    for (int k = 0; k < kStrategies; ++k) {
      Cell& cell = cells[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)];
      std::vector<double> v;
      for (int seed = 0; seed < seeds; ++seed) {
        const std::int64_t r = result(c, k, seed);
        if (csv)
          std::fprintf(csv, "%s,%s,%s,%d,%s\n", cases[static_cast<std::size_t>(c)].name.c_str(),
                       cases[static_cast<std::size_t>(c)].expect.c_str(), kColumns[k], seed + 1,
                       r > 0        ? std::to_string(r).c_str()
                       : r == 0     ? "not found"
                       : r == kDied ? "died"
                                    : "other failure");
        if (r == kDied) ++died;
        if (r < 0) ++cell.other;
        if (r == 0) ++cell.missed;
        v.push_back(r > 0 ? static_cast<double>(r) : INFINITY);
      }
      cell.middle = median(v);
    }
  if (csv) std::fclose(csv);

  std::printf(
      "Executions until the bug is found: median over %d seeds, at most %s; (k) = not found with k "
      "of\n"
      "them; [k] = another failure came first with k of them. delay, for comparison: ordinary "
      "threads "
      "in\nreal time, at most %s; any crash, or half a second without an end, counts.\n\n",
      seeds, number(static_cast<double>(executions)).c_str(), s.quick ? "20" : "100");
  std::vector<std::string> head{"case"};
  for (const char* k : kColumns) head.emplace_back(k);
  Table table(head);
  for (int c = 0; c < n; ++c) {
    std::vector<std::string> row{cases[static_cast<std::size_t>(c)].name};
    for (const Cell& cell : cells[static_cast<std::size_t>(c)]) {
      std::string text = std::isfinite(cell.middle) ? number(cell.middle) : "-";
      if (cell.missed) text += " (" + std::to_string(cell.missed) + ")";
      if (cell.other) text += " [" + std::to_string(cell.other) + "]";
      row.push_back(text);
    }
    table.row(row);
  }
  table.print();

  Table summary(
      {"strategy", "found with all seeds", "with some", "with none", "runs without the bug"});
  for (int k = 0; k < kStrategies; ++k) {
    int every = 0, some = 0, none = 0, missed = 0;
    for (int c = 0; c < n; ++c) {
      const Cell& cell = cells[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)];
      const int lost = cell.missed + cell.other;
      ++(lost == 0 ? every : lost < seeds ? some : none);
      missed += lost;
    }
    summary.row({kColumns[k], number(every) + " of " + number(n), number(some), number(none),
                 number(missed) + " of " + number(n * seeds)});
  }
  summary.print();

  std::string lost, better;
  for (int c = 0; c < n; ++c) {
    const auto& row = cells[static_cast<std::size_t>(c)];
    const std::string& name = cases[static_cast<std::size_t>(c)].name;
    const Cell& p = row[kPortfolio];
    if (const int all_lost = p.missed + p.other; all_lost > 0) {
      lost += "  " + name + ": " + number(seeds - all_lost) + " of " + number(seeds) + " seeds";
      for (int k = 0; k < kPortfolio; ++k) {
        const Cell& cell = row[static_cast<std::size_t>(k)];
        if (cell.missed + cell.other < all_lost)
          lost += std::string("; ") + kColumns[k] + " " + number(seeds - cell.missed - cell.other);
      }
      lost += "\n";
    }
    std::string those;
    for (int k = 0; k < kDelay; ++k) {
      const Cell& cell = row[static_cast<std::size_t>(k)];
      if (std::isfinite(cell.middle) && p.middle > 3 * cell.middle)
        those += std::string(those.empty() ? "" : ", ") + kColumns[k] + " " + number(cell.middle);
    }
    if (!those.empty())
      better += "  " + name + ": portfolio " + (std::isfinite(p.middle) ? number(p.middle) : "-") +
                "; " + those + "\n";
  }
  if (lost.empty())
    std::printf("The portfolio found all %d bugs with %d of %d seeds.\n", n, seeds, seeds);
  else
    std::printf("The portfolio did not always find:\n%s", lost.c_str());
  if (better.empty())
    std::printf("No strategy is more than 3 times better than the portfolio at any bug.\n");
  else
    std::printf("Strategies more than 3 times better than the portfolio (medians):\n%s",
                better.c_str());
  const auto agreed = std::count(same, same + n, true);
  std::printf(
      "run() needed as many executions as counted here in %d of %d cases (portfolio, first "
      "seed).\n",
      static_cast<int>(agreed), n);
  for (int c = 0; c < n; ++c)
    if (!same[c]) std::printf("  not in %s\n", cases[static_cast<std::size_t>(c)].name.c_str());
  if (died) std::printf("%d of %d processes died.\n", died, all);
  std::printf("\n");
  return died == 0;
}

}  // namespace jostle_bench

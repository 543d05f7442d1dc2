// The tables of the GAMBIT paper (PPoPP 2010): how soon a search of all schedules comes across a
// bug, by the order of the search; what it keeps meanwhile; how fast it is.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <jostle/jostle.hpp>

#include "benchmarks/bench.h"
#include "benchmarks/check/search.h"
#include "benchmarks/check/subject.h"
#include "benchmarks/instrumented/bodies.h"
#include "report/plot.h"

namespace jostle_bench {

const Subject*& subjects() {
  static const Subject* first = nullptr;
  return first;
}

namespace {

using jostle::Options;

constexpr std::uint64_t kNoLimit = ~0ull;

struct Column {
  const char* name;
  const char* priority;
  const char* preemptions;
  Options::Reduction reduction;
  bool random;
};

// PB(2) is the paper's: all schedules with at most two preemptions; then what check() does by
// itself with such a bound; and the reduction of the paper, in the order of BF(mdpor,pb).
constexpr Column kColumns[] = {
    {"DF", "deepest", "", Options::Reduction::optimal, false},
    {"BF(pb)", "pb", "", Options::Reduction::optimal, false},
    {"BF(mdpor,pb)", "mdpor,pb", "", Options::Reduction::optimal, false},
    {"BF(rand)", "rand", "", Options::Reduction::optimal, true},
    {"PB(2) DF", "deepest", "2", Options::Reduction::none, false},
    {"PB(2) BF(ss,mdpor)", "ss,mdpor", "2", Options::Reduction::none, false},
    {"PB(2) bpor", "ss,mdpor", "2", Options::Reduction::bpor, false},
    {"BF, paper's dpor", "mdpor,pb", "", Options::Reduction::dpor, false},
};
constexpr int kCount = std::size(kColumns), kDepthFirst = 0, kDefault = 2;

Options options_of(const Column& c, std::uint64_t seed, double limit) {
  return {.seed = seed,
          .executions = kNoLimit,
          .budget = limit,
          .preemptions = c.preemptions,
          .reduction = c.reduction,
          .priority = c.priority,
          .minimize = false,
          .quiet = true};
}

std::vector<const Subject*> sorted_subjects() {
  std::vector<const Subject*> all;
  for (const Subject* s = subjects(); s; s = s->next) all.push_back(s);
  std::sort(all.begin(), all.end(),
            [](const Subject* a, const Subject* b) { return std::strcmp(a->name, b->name) < 0; });
  return all;
}

// One cell: a search, or several with different seeds.
struct Cell {
  const Course* courses;
  int count;

  bool found(const Subject& s, int i) const {
    return std::strcmp(courses[i].finding, s.finding) == 0;
  }
  int times_found(const Subject& s) const {
    int n = 0;
    for (int i = 0; i < count; ++i) n += found(s, i);
    return n;
  }
  template <class F>
  std::string text(const Subject& s, F value, int digits) const {
    for (int i = 0; i < count; ++i)
      if (*courses[i].finding && !found(s, i)) return courses[i].finding;  // not what was put there
    std::vector<double> v;
    for (int i = 0; i < count; ++i)
      v.push_back(found(s, i) ? static_cast<double>(value(courses[i])) : INFINITY);
    const double m = median(v);
    std::string t = std::isfinite(m) ? number(m, digits) : courses[0].complete ? "none" : "-";
    if (count == 1) return t;
    std::sort(v.begin(), v.end());
    t += " [" + (std::isfinite(v[0]) ? number(v[0], digits) : "-") + ".." +
         (std::isfinite(v.back()) ? number(v.back(), digits) : "-") + "]";
    if (const int n = times_found(s); n < count) t += " (" + number(count - n) + ")";
    return t;
  }
  // Of one search; searches that found nothing count with what they did.
  double total(double (*value)(const Course&)) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += value(courses[i]);
    return sum / count;
  }
};

double executions_of(const Course& c) { return static_cast<double>(c.executions); }
double seconds_of(const Course& c) { return c.seconds; }

struct Figures {
  std::vector<const Subject*> all;
  Course* courses;
  int seeds;

  int per_subject() const {
    int n = 0;
    for (const Column& c : kColumns) n += c.random ? seeds : 1;
    return n;
  }
  Cell cell(int subject, int column) const {
    int at = subject * per_subject();
    for (int k = 0; k < column; ++k) at += kColumns[k].random ? seeds : 1;
    return {courses + at, kColumns[column].random ? seeds : 1};
  }
  std::uint32_t steps(int subject) const {
    std::uint32_t most = 0;
    for (int i = 0; i < per_subject(); ++i)
      most = std::max(most, courses[subject * per_subject() + i].steps);
    return most;
  }
};

void print_table(const Figures& f, const char* what, double (*value)(const Course&), int digits) {
  std::vector<std::string> head{std::string("subject: ") + what, "steps"};
  for (const Column& c : kColumns) head.emplace_back(c.name);
  Table table(head);
  const int n = static_cast<int>(f.all.size());
  for (int s = 0; s < n; ++s) {
    const Subject& subject = *f.all[static_cast<std::size_t>(s)];
    std::vector<std::string> row{subject.name, number(f.steps(s))};
    for (int k = 0; k < kCount; ++k) row.push_back(f.cell(s, k).text(subject, value, digits));
    table.row(row);
  }
  std::vector<std::string> total{"total", ""}, bugs{"bugs found", ""};
  for (int k = 0; k < kCount; ++k) {
    double sum = 0;
    int found = 0, of = 0;
    for (int s = 0; s < n; ++s) {
      const Cell c = f.cell(s, k);
      sum += c.total(value);
      found += c.times_found(*f.all[static_cast<std::size_t>(s)]);
      of += c.count;
    }
    total.push_back(number(sum, digits));
    bugs.push_back(number(found) + " of " + number(of));
  }
  table.row(total);
  table.row(bugs);
  table.print();
}

// The search here is check()'s.
bool agrees(const Subject& s, const Course& c, double limit) {
  char folder[] = "/tmp/jostle-bench-XXXXXX";
  Options o = options_of(kColumns[kDefault], 1, limit);
  o.output = mkdtemp(folder) ? folder : "/nonexistent";
  const jostle::Result r = jostle::check(s.broken, o);
  std::error_code ignored;
  std::filesystem::remove_all(o.output, ignored);
  if (!*c.finding) return r.findings.empty();
  for (const jostle::Finding& f : r.findings)
    if (f.kind == c.finding) return f.execution == c.executions;
  return false;
}

bool compare_orders(const Settings& settings, double limit) {
  Figures f{sorted_subjects(), nullptr, settings.quick ? 5 : 20};
  const int n = static_cast<int>(f.all.size()), each = f.per_subject();
  if (n == 0) return false;
  f.courses = shared_array<Course>(static_cast<std::size_t>(n * each));
  const double random_limit = limit / 20;
  int died = in_children(n * each, [&](int i) {
    silence();
    const Subject& s = *f.all[static_cast<std::size_t>(i / each)];
    int at = i % each, k = 0;
    for (; at >= (kColumns[k].random ? f.seeds : 1); ++k) at -= kColumns[k].random ? f.seeds : 1;
    const Column& c = kColumns[k];
    f.courses[i] = search_all(s.broken, options_of(c, static_cast<std::uint64_t>(at) + 1,
                                                   c.random ? random_limit : limit));
  });
  bool* same = shared_array<bool>(static_cast<std::size_t>(n));
  died += in_children(n, [&](int i) {
    silence();
    same[i] = agrees(*f.all[static_cast<std::size_t>(i)], *f.cell(i, kDefault).courses, limit);
  });

  std::printf(
      "Until the bug is found. \"-\": not within %g s (with a random order: %.2g s); \"none\": all "
      "was\n"
      "executed without finding it; a word: another finding came first. BF(rand): median [least .. "
      "most]\n"
      "over %d seeds, (k) = not found with k of them. Totals count what was done in vain, too; of "
      "BF(rand)\n"
      "they are means.\n\n",
      limit, random_limit, f.seeds);
  print_table(f, "executions", &executions_of, 0);
  print_table(f, "seconds", &seconds_of, 2);

  double best = 0, depth_first = 0;
  int found = 0, drowned = 0, differ = 0;
  for (int s = 0; s < n; ++s) {
    const Subject& subject = *f.all[static_cast<std::size_t>(s)];
    const Cell df = f.cell(s, kDepthFirst), bf = f.cell(s, kDefault);
    best += bf.total(&executions_of);
    depth_first += df.total(&executions_of);
    found += bf.found(subject, 0);
    drowned += f.steps(s) > 100 && !df.found(subject, 0);
    if (same[s]) continue;
    ++differ;
    std::printf("check() does not agree with the search measured here: %s\n", subject.name);
  }
  std::printf(
      "BF(mdpor,pb) found %d of %d bugs (target: all): %s\n"
      "BF(mdpor,pb) made %.2g of the executions of DF (target: <= 0.2): %s\n"
      "%d of %d subjects have more than 100 steps and defeat DF (target: half): %s\n\n",
      found, n, found == n ? "met" : "missed", best / depth_first,
      best <= depth_first / 5 ? "met" : "missed", drowned, n, 2 * drowned >= n ? "met" : "missed");
  if (died > 0) std::printf("%d searches died\n", died);
  return died == 0 && differ == 0;
}

// Tests so short that depth first gets to the bug, too: no limit has a part in the comparison. What
// comes out depends on how long they are.
bool compare_brief(double limit) {
  const std::vector<const Subject*> all = sorted_subjects();
  const int n = static_cast<int>(all.size());
  constexpr int kOrders[] = {kDepthFirst, kDefault}, kEach = 2 * Subject::kLengths;
  auto* courses = shared_array<Course>(static_cast<std::size_t>(n * kEach));
  const int died = in_children(n * kEach, [&](int i) {
    silence();
    courses[i] = search_all(all[static_cast<std::size_t>(i / kEach)]->brief_broken[i % kEach / 2],
                            options_of(kColumns[kOrders[i % 2]], 1, limit));
  });
  Table table({"brief tests: executions", "steps", "DF", "BF(mdpor,pb)", "steps", "DF",
               "BF(mdpor,pb)", "steps", "DF", "BF(mdpor,pb)"});
  double total[kEach] = {};
  int found[kEach] = {};
  for (int s = 0; s < n; ++s) {
    const Subject& subject = *all[static_cast<std::size_t>(s)];
    std::vector<std::string> row{subject.name};
    for (int k = 0; k < kEach; ++k) {
      const Cell c{courses + s * kEach + k, 1};
      if (k % 2 == 0) row.push_back(number(c.courses->steps));
      row.push_back(c.text(subject, &executions_of, 0));
      total[k] += c.total(&executions_of);
      found[k] += c.times_found(subject);
    }
    table.row(row);
  }
  std::vector<std::string> sums{"total"}, bugs{"bugs found"};
  for (int k = 0; k < kEach; ++k) {
    if (k % 2 == 0) sums.emplace_back(), bugs.emplace_back();
    sums.push_back(number(total[k]));
    bugs.push_back(number(found[k]) + " of " + number(n));
  }
  table.row(sums);
  table.row(bugs);
  table.print();
  std::printf("BF(mdpor,pb) made this part of the executions of DF:");
  for (int k = 0; k < kEach; k += 2) std::printf(" %.4f", total[k + 1] / total[k]);
  std::printf("\n\n");
  return died == 0;
}

bool search_twins(double limit) {
  const std::vector<const Subject*> all = sorted_subjects();
  const int n = static_cast<int>(all.size());
  auto* courses = shared_array<Course>(static_cast<std::size_t>(2 * n));
  const int died = in_children(2 * n, [&](int i) {
    silence();
    const Subject& s = *all[static_cast<std::size_t>(i / 2)];
    courses[i] = search_all(i % 2 == 0 ? s.brief_correct : s.correct,
                            options_of(kColumns[kDefault], 1, limit));
  });
  std::printf(
      "Without the bug, BF(mdpor,pb), for at most %g s; and the nodes of its tree at the end "
      "beside those\nof a tree with a node for each step.\n\n",
      limit);
  Table table({"without the bug", "brief: steps", "executions", "seconds", "", "steps",
               "executions", "seconds", "", "nodes", "uncompressed", "ratio"});
  int wrong = 0;
  double nodes = 0, uncompressed = 0;
  for (int i = 0; i < n; ++i) {
    std::vector<std::string> row{all[static_cast<std::size_t>(i)]->name};
    for (int k = 0; k < 2; ++k) {
      const Course& c = courses[2 * i + k];
      wrong += *c.finding || c.raced || c.departed;
      row.push_back(number(c.steps));
      row.push_back(number(executions_of(c)));
      row.push_back(number(c.seconds, 2));
      row.emplace_back(*c.finding   ? c.finding
                       : c.raced    ? "race"
                       : c.departed ? "departed"
                       : c.complete ? "complete"
                                    : "-");
    }
    const Course& c = courses[2 * i + 1];
    const auto kept = static_cast<double>(c.nodes), full = static_cast<double>(c.uncompressed);
    nodes += kept;
    uncompressed += full;
    row.insert(row.end(), {number(kept), number(full), number(full / kept, 1)});
    table.row(row);
  }
  table.row({"total", "", "", "", "", "", "", "", "", number(nodes), number(uncompressed),
             number(uncompressed / nodes, 1)});
  table.print();
  if (wrong + died > 0) std::printf("%d of them went wrong, %d died\n\n", wrong, died);
  return wrong + died == 0;
}

const Subject* named(const char* name) {
  for (const Subject* s = subjects(); s; s = s->next)
    if (std::strcmp(s->name, name) == 0) return s;
  return nullptr;
}

// The paper's section 5.3. There, methods were the only priority.
bool study_methods(double limit) {
  const Subject* s = named("port");
  if (!s) return false;
  const char* const rows[][3] = {
      {"both", "method(enqueue,try_dequeue)", "method(enqueue,try_dequeue),mdpor,pb"},
      {"only enqueue", "method(enqueue)", "method(enqueue),mdpor,pb"},
      {"only try_dequeue", "method(try_dequeue)", "method(try_dequeue),mdpor,pb"},
      {"none", "deepest", "mdpor,pb"}};
  constexpr int n = std::size(rows);
  auto* courses = shared_array<Course>(2 * n);
  const int died = in_children(2 * n, [&](int i) {
    silence();
    Column c = kColumns[kDefault];
    c.priority = rows[i / 2][1 + i % 2];
    courses[i] = search_all(s->broken, options_of(c, 1, limit));
  });
  Table table(
      {"port: functions named", "executions", "seconds", "then mdpor,pb: executions", "seconds"});
  for (int i = 0; i < n; ++i) {
    const Cell alone{courses + 2 * i, 1}, then{courses + 2 * i + 1, 1};
    table.row({rows[i][0], alone.text(*s, &executions_of, 0), alone.text(*s, &seconds_of, 2),
               then.text(*s, &executions_of, 0), then.text(*s, &seconds_of, 2)});
  }
  table.print();
  return died == 0;
}

// The paper's section 5.4.
bool study_space(const Settings& settings, double limit) {
  const Subject* s = named("blocking_collection");
  if (!s) return false;
  const std::pair<const char*, Column> rows[] = {
      {"BF(mdpor,pb)", kColumns[kDefault]},
      {"PB(2) BF(mdpor)", {"", "mdpor", "2", Options::Reduction::none, false}}};
  constexpr int n = std::size(rows);
  constexpr std::size_t kRoom = 1u << 16;
  auto* courses = shared_array<Course>(n);
  auto* extents = shared_array<Extent>(n * kRoom);
  auto* lengths = shared_array<std::size_t>(n);
  const int died = in_children(n, [&](int i) {
    silence();
    courses[i] = search_all(s->correct, options_of(rows[i].second, 1, limit), [&](const Extent& e) {
      if (lengths[i] < kRoom) extents[static_cast<std::size_t>(i) * kRoom + lengths[i]++] = e;
    });
  });
  std::FILE* csv = settings.csv.empty() ? nullptr : std::fopen(settings.csv.c_str(), "w");
  if (csv)
    std::fprintf(csv, "search,executions,seconds,nodes,bytes,created,uncompressed,bytes besides\n");
  Table table({"blocking_collection, no bug", "executions", "nodes created", "most at a time",
               "MB of 16 bytes", "uncompressed", "ratio", "MB besides"});
  for (int i = 0; i < n; ++i) {
    Extent most{};
    for (std::size_t k = 0; k < lengths[i]; ++k) {
      const Extent& e = extents[static_cast<std::size_t>(i) * kRoom + k];
      if (e.nodes > most.nodes) most = e;
      if (csv)
        std::fprintf(csv, "\"%s\",%llu,%.3f,%llu,%llu,%llu,%llu,%llu\n", rows[i].first,
                     static_cast<unsigned long long>(e.executions), e.seconds,
                     static_cast<unsigned long long>(e.nodes),
                     static_cast<unsigned long long>(e.nodes * 16),
                     static_cast<unsigned long long>(e.created),
                     static_cast<unsigned long long>(e.uncompressed),
                     static_cast<unsigned long long>(e.besides));
    }
    const Course& c = courses[i];
    const auto nodes = static_cast<double>(most.nodes),
               steps = static_cast<double>(most.uncompressed);
    table.row({rows[i].first, number(static_cast<double>(c.executions)),
               number(static_cast<double>(c.created)), number(nodes), number(nodes * 16e-6, 2),
               number(steps), number(steps / nodes, 1),
               number(static_cast<double>(most.besides) * 1e-6, 2)});
  }
  if (csv) {
    std::fclose(csv);
    jostle::report::Plot plot{
        "Memory of a long search: blocking_collection, no bug", "executions", "bytes of nodes", {}};
    for (int i = 0; i < n; ++i) {
      jostle::report::Curve c{rows[i].first, {}};
      for (std::size_t k = 0; k < lengths[i]; ++k) {
        const Extent& e = extents[static_cast<std::size_t>(i) * kRoom + k];
        c.points.push_back({static_cast<double>(e.executions), static_cast<double>(e.nodes * 16)});
      }
      plot.curves.push_back(std::move(c));
    }
    std::ofstream(settings.csv + ".svg") << jostle::report::to_svg(plot);
  }
  table.print();
  return died == 0;
}

// Both in turn, so that whatever else the machine does meets both.
bool compare_speed(bool quick) {
  const double length = quick ? 0.2 : 1;
  std::vector<double> checking, running, searching;
  auto* course = shared_array<Course>(1);
  for (int i = 0; i < (quick ? 3 : 7); ++i) {
    checking.push_back(in_child([&] {
      double executions = 0, took = 0;
      while (took < length) {
        // The benchmark itself has no hooks, and nothing to do with the body.
        const jostle::Result r =
            jostle::check(&three_threads_three_locks, {.trust = "*", .quiet = true});
        if (!r.ok() || !r.complete || r.executions != 1680) return std::nan("");
        executions += static_cast<double>(r.executions);
        took += r.seconds;
      }
      return executions / took;
    }));
    running.push_back(in_child([&] {
      const jostle::Result r = jostle::run(
          &three_threads_three_locks,
          {.strategy = "random", .executions = 1'000'000'000, .budget = length, .quiet = true});
      return r.ok() ? static_cast<double>(r.executions) / r.seconds : std::nan("");
    }));
    searching.push_back(in_child([&] {
      *course =
          search_all(&three_threads_four_locks, {.executions = 1'000'000, .priority = "mdpor,pb"});
      if (!course->complete) return std::nan("");
      return course->searching / (course->seconds - course->searching);
    }));
  }
  const double c = median(checking), r = median(running), own = median(searching);
  Table table({"3 threads x 3 lock/increment/unlock", "executions/s", "us each", "target"});
  table.row({"check", number(c), number(1e6 / c, 2),
             c >= 200'000 ? ">= 200 000: met" : ">= 200 000: missed"});
  table.row({"run, strategy=random", number(r), number(1e6 / r, 2), ""});
  table.row({"ratio", number(c / r, 2), "", ""});
  table.print();
  std::printf(
      "3 threads x 4: tree, order, reduction and priorities take %.2f of what executing takes "
      "(target: <= 0.5): %s\n",
      own, own <= 0.5 ? "met" : "missed");
  return c > 0 && r > 0 && own > 0;
}

}  // namespace

bool run_check(const Settings& s) {
  const double limit = s.limit > 0 ? s.limit : s.quick ? 1 : 60;
  register_deepest();
  bool good = compare_orders(s, limit);
  good &= compare_brief(limit);
  good &= search_twins(limit / 6);
  good &= study_methods(limit);
  good &= study_space(s, limit);
  good &= compare_speed(s.quick);
  return good;
}

}  // namespace jostle_bench

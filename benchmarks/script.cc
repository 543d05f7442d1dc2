// Table 1 of the CONCURRIT paper (PLDI 2013) for programs like its own: how many schedules a script
// explores until it finds the bug; and what scripts cost.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <jostle/system.hpp>

#include "benchmarks/bench.h"
#include "benchmarks/instrumented/bodies.h"
#include "benchmarks/script/subject.h"

namespace jostle_bench {

const ScriptedSubject*& scripted_subjects() {
  static const ScriptedSubject* first = nullptr;
  return first;
}

namespace {

using jostle::Options;

struct Figures {
  std::uint64_t executions, unsatisfied;
  bool found, complete;
  double seconds;
  char problem[200];
};

struct Job {
  const ScriptedSubject* subject;
  const SubjectScript* script;
};

std::vector<Job> jobs() {
  std::vector<const ScriptedSubject*> sorted;
  for (const ScriptedSubject* s = scripted_subjects(); s; s = s->next) sorted.push_back(s);
  std::sort(sorted.begin(), sorted.end(), [](const ScriptedSubject* a, const ScriptedSubject* b) {
    return std::strcmp(a->name, b->name) < 0;
  });
  std::vector<Job> all;
  for (const ScriptedSubject* s : sorted)
    for (const SubjectScript& t : s->scripts) all.push_back({s, &t});
  return all;
}

Figures explore(const Job& job) {
  char folder[] = "/tmp/jostle-bench-XXXXXX";
  Options o = {.races = false, .minimize = false, .quiet = true};
  o.output = mkdtemp(folder) ? folder : "/nonexistent";
  const jostle::Result r = jostle::script(job.subject->body, job.script->script, o);
  std::error_code ignored;
  std::filesystem::remove_all(o.output, ignored);
  Figures f{r.executions, r.unsatisfied, false, r.complete, r.seconds, {}};
  for (const jostle::Finding& x : r.findings) {
    f.found = x.kind == job.subject->finding && x.confirmed;
    if (!f.found) std::snprintf(f.problem, sizeof f.problem, "%s", x.report.c_str());
  }
  if (!r.error.empty()) std::snprintf(f.problem, sizeof f.problem, "%s", r.error.c_str());
  return f;
}

bool print_table() {
  const std::vector<Job> all = jobs();
  auto* figures = shared_array<Figures>(all.size());
  const int died = in_children(static_cast<int>(all.size()), [&](int i) {
    silence();
    figures[i] = explore(all[static_cast<std::size_t>(i)]);
  });
  Table table({"subject", "pattern", "functions", "points", "lines of script", "threads",
               "schedules explored", "of these in vain"});
  int subjects = 0, exact = 0, exact_at_once = 0, found = 0, searched_all = 0;
  const ScriptedSubject* before = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [subject, script] = all[i];
    const Figures& f = figures[i];
    const bool limit = !f.found && f.executions >= Options().executions;
    subjects += subject != before;
    found += f.found;
    searched_all += limit;
    if (std::strcmp(script->pattern, "ExactSchedule") == 0) {
      ++exact;
      exact_at_once += f.found && f.executions == 1;
    }
    table.row({subject == before ? "" : subject->name, script->pattern,
               script->functions ? number(script->functions) : "all", number(script->points),
               number(script->lines), number(script->threads),
               f.found ? number(static_cast<double>(f.executions))
               : limit ? ">10 000"
                       : "not found",
               number(static_cast<double>(f.unsatisfied))});
    before = subject;
  }
  table.print();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (*figures[i].problem)
      std::printf("%s, %s: %s\n", all[i].subject->name, all[i].script->pattern, figures[i].problem);
  std::printf(
      "%d subjects (target: >= 12): %s\n"
      "%zu scripts, %d find the bug, %d have more schedules than the limit\n"
      "%d of %d exact schedules find it in the first execution (target: all): %s\n\n",
      subjects, subjects >= 12 ? "met" : "missed", all.size(), found, searched_all, exact_at_once,
      exact, exact_at_once == exact ? "met" : "missed");
  return died == 0 && static_cast<std::size_t>(found + searched_all) == all.size();
}

// One step: the script lets a thread go on to its next access and waits for it there.
double step_cost(int accesses) {
  using namespace jostle::scripting;
  const int before = g_accesses;
  g_accesses = accesses;
  double spent = 0;
  jostle::script([] { two_threads_that_access(); },
                 [&] {
                   const auto [a, b] = wait_for_distinct_threads<2>(starts);
                   run_until(a + b, writes(&g_accessed));
                   const Predicate next = writes(&g_accessed);
                   const double start = seconds();
                   for (int i = 0; i + 4 < accesses; ++i) run_until(i % 2 ? a : b, next);
                   spent = seconds() - start;
                 },
                 {.max_steps = 100'000'000, .races = false, .quiet = true});
  g_accesses = before;
  return spent / accesses;
}

// The same in system mode: two processes, from one control point to the next.
double system_step_cost(int steps) {
  using namespace jostle::scripting;
  double spent = 0;
  const auto points = [steps] {
    for (int i = 0; i < steps; ++i) JOSTLE_POINT("step");
  };
  jostle::script_system(
      [&] {
        client(points);
        client(points);
        const Predicate next = at_point("step");
        const auto [a, b] = wait_for_distinct_threads<2>(next);
        const double start = seconds();
        for (int i = 0; i < steps; ++i) run_until(i % 2 ? a : b, next);
        spent = seconds() - start;
      },
      {.quiet = true});
  return spent / steps;
}

bool print_costs(const Settings& s) {
  pin_to_one_core();
  constexpr int kPoints = 100'000'000;
  const double point = median({points_cost(kPoints), points_cost(kPoints), points_cost(kPoints)});
  const int n = s.quick ? 100'000 : 1'000'000;
  const double step = median({step_cost(n), step_cost(n), step_cost(n)});
  std::printf("A JOSTLE_POINT that no script watches: %.2f ns (%s)\n", point * 1e9,
              target(point * 1e9, 5, "ns").c_str());
  std::printf("A step of a script, with a change of threads: %.0f ns (%s)\n", step * 1e9,
              target(step * 1e9, 1000, "ns").c_str());
  const int m = s.quick ? 10'000 : 100'000;
  const double system = median({system_step_cost(m), system_step_cost(m), system_step_cost(m)});
  std::printf("A step of a script in another process: %.1f us (%s)\n\n", system * 1e6,
              target(system * 1e6, 10, "us").c_str());
  return step > 0 && system > 0;
}

}  // namespace

bool run_script(const Settings& s) {
  const bool ok = print_table();
  return print_costs(s) && ok;
}

}  // namespace jostle_bench

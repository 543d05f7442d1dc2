#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <jostle/jostle.hpp>
#include <thread>

#include "benchmarks/bench.h"
#include "benchmarks/instrumented/bodies.h"
#include "runtime/system_call.h"
#include "strategies/registry.h"

namespace jostle_bench {
namespace {

using jostle::Options;

struct Rate {
  double per_second, steps, switches;
};

// One run() of the given length; again and again, each in a process of its own.
Rate rate(void (*body)(), Options o, double length, int repetitions, bool pinned = false) {
  o.executions = 1'000'000'000;
  o.budget = length;
  o.quiet = true;
  double* last = shared_array<double>(2);
  std::vector<double> rates;
  for (int i = 0; i < repetitions; ++i)
    rates.push_back(in_child([&] {
      if (pinned) pin_to_one_core();
      const double start = seconds();
      const jostle::Result r = jostle::run(body, o);
      const double took = seconds() - start;
      if (!r.ok()) std::fprintf(stderr, "%s", r.report.c_str());
      const jostle::Outcome& out = jostle::engine().scheduler().outcome();
      last[0] = out.steps;
      last[1] = out.switches;
      return r.ok() ? static_cast<double>(r.executions) / took : std::nan("");
    }));
  return {median(rates), last[0], last[1]};
}

// Processes per second that are forked, exit at once and are waited for, by a process that has
// executed something: the most that isolation=fork could reach with one process at a time.
double bare_forks(double length) {
  return in_child([&] {
    jostle::run(&three_threads_two_locks, {.executions = 1000, .quiet = true});
    const double start = seconds();
    double n = 0;
    for (; seconds() - start < length; ++n) {
      const pid_t p = fork();
      if (p == 0) _exit(0);
      int status;
      waitpid(p, &status, 0);
    }
    return n / (seconds() - start);
  });
}

// --- changes of kernel threads -------------------------------------------------------------------

struct Side {
  alignas(64) int go = 0;
};

void give(Side& to) {
  __atomic_store_n(&to.go, 1, __ATOMIC_RELEASE);
  jostle::futex_wake_one(&to.go);
}
void take(Side& mine) {
  while (__atomic_load_n(&mine.go, __ATOMIC_ACQUIRE) == 0) jostle::futex_sleep(&mine.go, 0);
  __atomic_store_n(&mine.go, 0, __ATOMIC_RELEASE);
}

// Seconds per hand-over between two kernel threads that do nothing else.
double bare_hand_over(int rounds) {
  Side a, b;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      take(b);
      give(a);
    }
  });
  const double start = seconds();
  for (int i = 0; i < rounds; ++i) {
    give(b);
    take(a);
  }
  const double took = seconds() - start;
  other.join();
  return took / (2.0 * rounds);
}

double backend_switch(int executions) {
  Controlled c(true);
  Alternate strategy;
  c.execute(strategy, &pointing_threads);
  const double start = seconds();
  std::uint64_t switches = 0;
  for (int i = 0; i < executions; ++i) switches += c.execute(strategy, &pointing_threads).switches;
  return (seconds() - start) / static_cast<double>(switches);
}

}  // namespace

bool run_throughput(const Settings& s) {
  const double length = s.quick ? 0.15 : 0.5;
  const int repetitions = s.quick ? 1 : 3;
  bool good = true;

  Table table({"run()", "executions/s", "us each", "steps", "switches"});
  auto row = [&](const std::string& name, void (*body)(), const Options& o, bool pinned = false) {
    const bool here = o.jobs == 1 && o.isolation == Options::Isolation::none;
    const Rate r = rate(body, o, length, repetitions, pinned);
    good = good && r.per_second > 0;
    table.row({name, number(r.per_second), number(1e6 / r.per_second, 2),
               here ? number(r.steps) : "", here ? number(r.switches) : ""});
    return r.per_second;
  };
  using Body = void (*)();
  const std::pair<const char*, Body> bodies[] = {
      {"3 threads x 2 lock/increment/unlock", &three_threads_two_locks},
      {"2 threads x 10 lock/unlock", &two_threads_ten_locks}};
  for (const auto& [name, body] : bodies) {
    row(std::string(name) + ", default settings", body, {});
    row("  races=false, heap-checks=false", body, {.races = false, .heap_checks = false});
    for (const jostle::StrategyEntry& e : jostle::strategies())
      row("  strategy=" + std::string(e.name), body, {.strategy = std::string(e.name)});
    row("  jobs=2", body, {.jobs = 2});
    row("  isolation=fork", body, {.isolation = Options::Isolation::fork});
    row("  backend=threads", body, {.backend = Options::Backend::threads});
    row("  backend=threads, on one core", body, {.backend = Options::Backend::threads}, true);
  }
  row("2 threads exchanging heap blocks, default settings", &allocating_threads, {});
  const double forks = bare_forks(length);
  table.row({"for comparison: fork, exit, wait", number(forks), number(1e6 / forks, 2), "", ""});
  table.print();

  // Both in turn, so that whatever else the machine does meets both.
  std::vector<double> bare, ours, ratio;
  for (int i = 0; i < (s.quick ? 3 : 9); ++i) {
    bare.push_back(in_child([&] {
      pin_to_one_core();
      bare_hand_over(100);
      return 1e9 * bare_hand_over(s.quick ? 4000 : 20000);
    }));
    ours.push_back(in_child([&] {
      pin_to_one_core();
      return 1e9 * backend_switch(s.quick ? 1 : 5);
    }));
    ratio.push_back(ours.back() / bare.back());
  }
  const double r = median(ratio);
  Table hand({"change of kernel threads, one core", "ns", "target"});
  hand.row({"bare futex hand-over", number(median(bare)), ""});
  hand.row({"backend=threads, a step with a switch", number(median(ours)), ""});
  hand.row({"ratio (median of pairs)", number(r, 2), target(r, 1.5, "")});
  hand.print();
  return good && r > 0;
}

}  // namespace jostle_bench

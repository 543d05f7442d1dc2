// Executions out of the middle of a long run, repeated in fresh processes.
#include <cstdio>
#include <cstring>
#include <jostle/jostle.hpp>
#include <set>

#include "benchmarks/bench.h"
#include "benchmarks/instrumented/bodies.h"
#include "benchmarks/search.h"
#include "benchmarks/zoo.h"
#include "explore/keeper.h"
#include "explore/minimize.h"

namespace jostle_bench {

using namespace jostle;
using namespace jostle::explore;

namespace {

// Everything about the two but addresses and values: the heap of a process that has made
// thousands of executions lies elsewhere.
bool same_events(const Trace& a, const Trace& b) {
  if (a.events.size() != b.events.size() || a.truncated || b.truncated) return false;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const Event &x = a.events[i], &y = b.events[i];
    if (x.pc != y.pc || x.thread != y.thread || x.kind != y.kind || x.other != y.other ||
        x.size != y.size || x.order != y.order || x.flags != y.flags || x.decision != y.decision)
      return false;
  }
  return true;
}

bool same_decisions(const Trace& a, const Trace& b) {
  if (a.decisions.size() != b.decisions.size()) return false;
  for (std::size_t i = 0; i < a.decisions.size(); ++i) {
    const Decision &x = a.decisions[i], &y = b.decisions[i];
    if (x.event != y.event || x.options != y.options || x.chosen != y.chosen ||
        x.running != y.running || x.kind != y.kind)
      return false;
  }
  return true;
}

struct Tally {
  bool finished;
  std::uint64_t executions, events;
  int tried, different;  // executions drawn; orders of operations among them
  int recorded;          // same order of operations with and without the recorder, in this process
  int plans;             // same events when a fresh process carries out the plan
  int schedules;         // same events when a fresh process follows the decisions
  std::int64_t first_bad;  // -1: none
};

class Sampler {
 public:
  Sampler(void (*body)(), const Options& o, Tally& tally)
      : session_(session_of(body, o)), keeper_(session_), tally_(tally) {
    tally_.first_bad = -1;
  }

  void run(int samples, std::uint64_t executions) {
    session_.options.executions = executions;
    Search search(session_, *Portfolio::make("portfolio", 3));
    Rng rng(7);
    while (search.executions() < executions) {
      const Share& share = search.round();
      if (share.failed) break;
      // Of the first rounds nothing is drawn; then evenly over the rest.
      const auto due =
          static_cast<int>(static_cast<std::uint64_t>(samples) * search.executions() / executions);
      const Round& r = search.last();
      if (r.first < 500) continue;
      while (tally_.tried < due) sample(r, r.first + rng.below64(r.count));
    }
    tally_.executions = search.executions();
    tally_.finished = true;
  }

 private:
  void sample(const Round& round, std::uint64_t index) {
    Engine& e = engine();
    Assignment& a = keeper_.assignment();
    a.clear();
    a.plan = round.plan(index);
    a.profile = round.profile;
    a.promoted_count = round.promoted_count;
    std::copy(round.promoted, round.promoted + round.promoted_count, a.promoted);
    ++tally_.tried;

    // Here, as in the run; then once more with the recorder.
    apply_sites(e, a);
    const std::uint64_t plain =
        e.execute(a.plan, a.profile, strategy_for(a.plan), session_.body, nullptr).signature;
    a.record = true;
    apply_sites(e, a);
    recorder_.clear();
    const Outcome here =
        e.execute(a.plan, a.profile, strategy_for(a.plan), session_.body, &recorder_);
    const Trace trace = recorder_.trace();
    const bool recorded = here.signature == plain;
    if (seen_.insert(plain).second) ++tally_.different;
    tally_.events += trace.events.size();

    auto same = [&](const Fresh& f) {
      return f.ended && f.trace.outcome.signature == plain && same_decisions(trace, f.trace) &&
             same_events(trace, f.trace);
    };
    const bool plan = same(keeper_.run());
    const std::vector<Deviation> d = deviations_of(trace);
    a.deviation_count = static_cast<std::uint32_t>(d.size());
    std::copy(d.begin(), d.end(), a.deviations);
    a.plan.strategy = kReplayStrategy;
    const Fresh f = keeper_.run();
    const bool schedule = same(f) && f.replay_left == 0 && !f.trace.outcome.diverged;

    tally_.recorded += recorded;
    tally_.plans += plan;
    tally_.schedules += schedule;
    if (!(recorded && plan && schedule) && tally_.first_bad < 0)
      tally_.first_bad = static_cast<std::int64_t>(index);
  }

  Session session_;
  Keeper keeper_;
  Recorder recorder_;
  std::set<std::uint64_t> seen_;
  Tally& tally_;
};

}  // namespace

bool run_replay(const Settings& s) {
  std::vector<ZooCase> bodies = zoo_cases(false);
  bodies.push_back({"3 threads x 2 lock/increment/unlock", "pass", &three_threads_two_locks});
  bodies.push_back({"2 threads exchanging heap blocks", "pass", &allocating_threads});
  const int n = static_cast<int>(bodies.size());

  Table table({"backend", "programs", "executions", "drawn", "different", "events",
               "same with recorder", "same from plan", "same from schedule"});
  std::string bad;
  bool good = true;
  for (const bool threads : {false, true}) {
    const int wanted = (s.quick ? 500 : 10'000) / (threads ? 10 : 1);
    const int each = (wanted + n - 1) / n;
    auto* tally = shared_array<Tally>(static_cast<std::size_t>(n));
    in_children(n, [&](int i) {
      silence();
      Options o;
      if (threads) o.backend = Options::Backend::threads;
      Sampler(bodies[static_cast<std::size_t>(i)].body, o, tally[i])
          .run(each, threads || s.quick ? 2000 : 10'000);
    });
    Tally sum{};
    for (int i = 0; i < n; ++i) {
      const Tally& t = tally[i];
      sum.executions += t.executions;
      sum.events += t.events;
      sum.tried += t.tried;
      sum.different += t.different;
      sum.recorded += t.recorded;
      sum.plans += t.plans;
      sum.schedules += t.schedules;
      const char* name = threads ? "threads" : "fibers";
      char line[300] = "";
      if (!t.finished)
        std::snprintf(line, sizeof line, "  %s, %s: the process died\n", name,
                      bodies[static_cast<std::size_t>(i)].name.c_str());
      else if (t.first_bad >= 0)
        std::snprintf(line, sizeof line,
                      "  %s, %s: of %d drawn, same with recorder %d, from plan %d, from schedule "
                      "%d; first execution %lld\n",
                      name, bodies[static_cast<std::size_t>(i)].name.c_str(), t.tried, t.recorded,
                      t.plans, t.schedules, static_cast<long long>(t.first_bad));
      else if (t.tried < each)
        std::snprintf(line, sizeof line, "  %s, %s: only %d drawn\n", name,
                      bodies[static_cast<std::size_t>(i)].name.c_str(), t.tried);
      bad += line;
      good = good && t.finished;
    }
    auto of = [&](int k) { return number(k) + " of " + number(sum.tried); };
    table.row({threads ? "threads" : "fibers", number(n),
               number(static_cast<double>(sum.executions)), number(sum.tried),
               number(sum.different), number(static_cast<double>(sum.events)), of(sum.recorded),
               of(sum.plans), of(sum.schedules)});
  }
  table.print();
  if (!bad.empty()) std::printf("Not the same:\n%s\n", bad.c_str());
  return good;
}

}  // namespace jostle_bench

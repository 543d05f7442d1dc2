#include "explore/covering.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <deque>
#include <map>
#include <set>

#include "cover/feasibility.h"
#include "cover/profiler.h"
#include "explore/attempts.h"
#include "explore/coverage_text.h"
#include "explore/findings.h"
#include "explore/known.h"
#include "explore/plans.h"
#include "explore/rounds.h"
#include "explore/schedules.h"
#include "explore/status.h"
#include "explore/trials.h"
#include "memo/database.h"
#include "report/frames.h"

namespace jostle::explore {
namespace {

using covering::Idiom;
using covering::Item;

// An execution that was made, for schedules that could be.
struct Recorded {
  covering::Execution execution;
  covering::Feasibility feasibility;
  explicit Recorded(const AccessLog& log) : execution(log), feasibility(execution) {}
};

class Covering {
 public:
  Covering(Session& session, Executor& executor)
      : session_(session),
        executor_(executor),
        findings_(session, executor),
        text_(findings_.symbols()) {}

  void go(Result& result);

 private:
  struct State {
    bool predicted = false, exposed = false;
    bool remembered = false, known = false;  // the memo has it; as exposed
    bool again = false;                      // it is sought all the same
    const memo::Item* said = nullptr;        // what the memo has, as far as that counts
    std::uint32_t attempts = 0;              // that failed
    std::uint32_t failed_before = 0;         // of them: in earlier runs
    std::string schedule;                    // that exposed it: departures from the default
    std::uint64_t execution = 0, hits = 0;
    std::string infeasible;    // in all executions that it was predicted from, and why
    std::uint32_t judged = 0;  // how many executions have been asked
    bool possible = false;     // one of them has nothing against it
    std::weak_ptr<const Recorded> recorded;  // that one
    std::uint32_t tries = 0;                 // witnesses and attempts, those before included
    const char* decided_by = "";             // see CoverageItem
  };
  // How many executions are kept for witnesses, and how long they may be.
  static constexpr std::size_t kRecorded = 48, kLongest = 100'000;
  // An item is judged by as many executions at most: others mostly say the same.
  static constexpr std::uint32_t kJudges = 6;

  // Each is false when the search is over.
  bool profile(Result& result);
  bool raise_pairs(Result& result);
  bool raise(Result& result);
  bool sample(Result& result);
  bool attempt(Result& result, const Item& item);
  bool find_witness(const Item& item, State& s, covering::Feasibility::Reads reads);
  // `stage`: what is said of the target if this exposes it; without a target, of all.
  bool make(Result& result, const Trial& trial, const Item* target, const char* stage = "");

  bool learn(TrialDesk& desk, std::uint64_t number, const Item* target, const char* stage);
  void learn_races(const TrialDesk& desk);
  bool wants(Idiom idiom) const {
    const Options::Metric m = session_.options.metric;
    return m == Options::Metric::all || (m == Options::Metric::pairs) == (idiom == Idiom::pair);
  }
  static bool settled(const State& s) { return s.known && !s.again; }
  static bool nothing_new(const State& s) {
    return s.said && s.said->exposed == s.exposed && s.said->predicted == s.predicted &&
           s.said->infeasible == s.infeasible && s.attempts == s.failed_before;
  }
  bool open(const State& s) const {
    const std::uint32_t most = session_.options.give_up;
    return s.predicted && !s.exposed && !settled(s) && s.infeasible.empty() &&
           (most == 0 || s.attempts < most);
  }
  std::vector<Item> open_items(bool pairs);
  void copy_path(const std::vector<Deviation>& d);
  bool own_code(const Item& item);
  void report(Result& result);
  bool open_memo(Result& result);
  bool read_memos(Result& result);
  void compare(Coverage& c);
  void rank(Coverage& c);
  // What went wrong, if something did.
  std::string remember(const Result& result);
  std::string keep(const std::string& why, const std::vector<memo::Item>& items);
  State& state_of(const Item& item);
  std::string root_cause(const Item* target, std::uint64_t number);

  Session& session_;
  Executor& executor_;
  Findings findings_;
  CoverageText text_;
  std::unique_ptr<Trials> trials_;
  std::map<Item, State> items_;
  Known known_;
  std::vector<std::vector<Deviation>> race_paths_;  // of known_.races
  std::set<std::uint64_t> shared_;                  // places that touch what threads share
  std::deque<std::shared_ptr<const Recorded>> recorded_;
  std::uint64_t exposed_ = 0;          // that were not known
  bool fresh_ = false;                 // the last execution taught something
  double start_ = 0, remembered_ = 0;  // remembered: when
  std::string memo_;                   // path of the database; "": none
  using Memo = std::map<std::string, memo::Item>;
  Memo before_;   // what the memo said at the beginning
  Memo tried_;    // what it said of this build, where that matters
  Memo against_;  // what the database said that is compared with
  std::string last_run_;
  memo::Run run_;
  bool stopped_ = false;  // before there was nothing left to try
  bool truncated_ = false;
  Plans plans_;
  std::uint32_t idle_pairs_ = 0;  // attempts at pairs that did not help, in a row
  bool solved_ = false;           // the last witness is Z3's
};

Plan replay_plan() {
  Plan p;
  p.strategy = kReplayStrategy;
  return p;
}

void Covering::go(Result& result) {
  if (auto ok = findings_.load_filters(); !ok) {
    result.error = ok.error();
    return;
  }
  if (!open_memo(result)) return;
  const Options& o = session_.options;
  start_ = remembered_ = monotonic_seconds();
  trials_ = session_.whole_program() || o.isolation != Options::Isolation::none
                ? trials_elsewhere(session_)
                : trials_here(session_);
  const bool pairs_first = o.metric == Options::Metric::pairs;
  stopped_ = !(profile(result) && (!pairs_first || raise_pairs(result)) && raise(result) &&
               (pairs_first || !wants(Idiom::pair) || raise_pairs(result)));
  result.seconds = monotonic_seconds() - start_;
  for (const Known::Race& r : known_.races) {
    if (result.findings.size() >= 25) break;
    fill(executor_.assignment(), known_, r.promoted, r.profile);
    copy_path(race_paths_[static_cast<std::size_t>(&r - known_.races.data())]);
    findings_.add_race(result, replay_plan(), r.race, r.plan.index);
  }
  const TrialDesk& d = trials_->desk();
  for (std::uint32_t i = 0; i < d.uncontrolled_count; ++i)
    result.uncontrolled.emplace_back(d.uncontrolled[i].what);
  trials_.reset();
  if (const std::string why = remember(result); result.error.empty()) result.error = why;
  report(result);
}

bool Covering::open_memo(Result& result) {
  const Options& o = session_.options;
  // Not kept open: a program that shares memory with others cannot be put back to what it was.
  if (o.memo != "none") memo_ = o.memo.empty() ? o.output + "/memo.db" : o.memo;
  run_.id = memo::unique_id();
  run_.build = build_id();
  run_.program = std::string(report::base_name(program_path()));
  if (!session_.whole_program()) run_.program += ":" + session_.name;
  if (session_.whole_program())
    for (const std::string& a : program_arguments())
      run_.input += (run_.input.empty() ? "" : " ") + a;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  char text[40], milliseconds[8];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
  std::snprintf(milliseconds, sizeof milliseconds, ".%03dZ",
                static_cast<int>(now.tv_nsec / 1000000 % 1000));
  run_.started = std::string(text) + milliseconds;
  return read_memos(result);
}

bool Covering::read_memos(Result& result) {
  const Options& o = session_.options;
  // A memo is made if there is none; one to compare with has to be there.
  const auto read = [&](const std::string& name, bool create, const std::string& build, Memo& out) {
    auto d = memo::Database::open(name, create);
    auto items = d ? d->items(run_.program, build) : Error{d.error()};
    if (create && items)
      if (auto runs = d->runs(run_.program); runs && !runs->empty())
        last_run_ = runs->back().started;
    if (!items) result.error = items.error();
    if (items) out = std::move(*items);
    return result.error.empty();
  };
  if (!memo_.empty() && !read(memo_, true, "", before_)) return false;
  if (!memo_.empty() && o.retry == Options::Retry::rebuilt &&
      !read(memo_, false, run_.build.empty() ? "?" : run_.build, tried_))
    return false;
  return o.against.empty() || read(o.against, false, "", against_);
}

// What the memo does not know yet. A run that found something only leaves word that it took place:
// the next one is then the same search, and finds it again unless it was mended.
std::string Covering::remember(const Result& result) {
  remembered_ = monotonic_seconds();
  if (memo_.empty() || result.executions == 0) return "";
  const bool found = !result.findings.empty();
  std::vector<memo::Item> items;
  run_.exposed = run_.fresh = 0;
  for (const auto& [item, state] : items_) {
    run_.exposed += state.exposed;
    if (settled(state) || found || nothing_new(state)) continue;
    run_.fresh += state.exposed && !state.known;
    const CoverageItem text = text_.item(item);
    memo::Item i;
    i.id = text.id;
    i.metric = text.metric;
    for (const std::string& p : text.places) i.places += (i.places.empty() ? "" : "\n") + p;
    i.predicted = state.predicted;
    i.exposed = state.exposed;
    i.failures = state.exposed ? 0 : state.attempts - state.failed_before;
    i.infeasible = state.infeasible;
    i.schedule = state.schedule;
    items.push_back(std::move(i));
  }
  run_.executions = result.executions;
  run_.seconds = monotonic_seconds() - start_;
  auto d = memo::Database::open(memo_, true);
  if (!d) return keep(d.error(), items);
  auto ok = d->store(run_, items);
  return ok ? "" : keep(ok.error(), items);
}

// A server that has gone away must not cost what was learned.
std::string Covering::keep(const std::string& why, const std::vector<memo::Item>& items) {
  if (!memo::is_url(memo_)) return why;
  const std::string file = session_.options.output + "/memo.db";
  auto d = memo::Database::open(file, true);
  if (!d || !d->store(run_, items)) return why;
  return why + "; kept in " + file + ": jostle db merge --memo '" + memo::shown(memo_) + "' " +
         file;
}

Covering::State& Covering::state_of(const Item& item) {
  const auto [it, fresh] = items_.try_emplace(item);
  State& s = it->second;
  if (!fresh || before_.empty()) return s;
  if (const auto b = before_.find(text_.id(item)); b != before_.end()) {
    s.remembered = true;
    s.known = b->second.exposed;
    const memo::Item* tried = &b->second;
    if (session_.options.retry != Options::Retry::never) {
      const auto t = tried_.find(b->first);
      tried = t == tried_.end() ? nullptr : &t->second;
      s.again = !tried || !tried->exposed;
    }
    s.said = tried;
    if (tried) s.attempts = s.failed_before = static_cast<std::uint32_t>(tried->failures);
    if (settled(s)) trials_->desk().seen.add(item);
  }
  return s;
}

bool Covering::make(Result& result, const Trial& trial, const Item* target, const char* stage) {
  const Options& o = session_.options;
  if (result.executions >= o.executions ||
      (o.budget > 0 && monotonic_seconds() > start_ + o.budget))
    return false;
  TrialDesk& d = trials_->desk();
  d.trial = trial;
  d.trial.plan.index = result.executions;
  d.trial.window = o.window;
  d.promoted_count = static_cast<std::uint32_t>(known_.promoted.size());
  std::copy(known_.promoted.begin(), known_.promoted.end(), d.promoted);
  if (!trials_->make()) return false;
  const std::uint64_t number = ++result.executions;
  // Not all is lost if this process is killed.
  if (monotonic_seconds() > remembered_ + 5) remember(result);
  if (d.outcome.skipped) {
    result.skipped = true;
    return false;
  }
  fresh_ = learn(d, number, target, stage);
  learn_races(d);
  if (session_.status && (number & 15) == 0)
    session_.status->checking(number, std::to_string(exposed_) + " interleavings exposed, " +
                                          std::to_string(items_.size()) + " known of");
  if (d.outcome.failure.kind == FindingKind::none)
    return !(o.stop_on_race && !known_.races.empty());
  fill(executor_.assignment(), known_, d.promoted_count, Profile());
  copy_path(deviations_of(d.steps));
  const std::size_t before = result.findings.size();
  const bool told = findings_.add_failure(result, replay_plan(), d.outcome.failure, number);
  if (told && result.findings.size() > before)
    result.findings.back().report += root_cause(target, number);
  return !(told && !o.keep_going) && result.findings.size() < 25;
}

// What was made happen; or, if it happened by itself, what no execution before had.
std::string Covering::root_cause(const Item* target, std::uint64_t number) {
  const auto exposed_now = [&](const Item& i) {
    const auto it = items_.find(i);
    return it != items_.end() && it->second.execution == number;
  };
  if (target && target->idiom != Idiom::pair && exposed_now(*target))
    return "Root cause: the iRoot that was made happen,\n  " + text_.sentence(*target) + "\n";
  std::string s;
  int n = 0;
  for (const auto& [item, state] : items_)
    if (state.execution == number && item.idiom != Idiom::one && item.idiom != Idiom::pair &&
        n++ < 3)
      s += "  " + text_.sentence(item) + "\n";
  for (const auto& [item, state] : items_)
    if (state.execution == number && item.idiom == Idiom::one && n++ < 3)
      s += "  " + text_.sentence(item) + "\n";
  return s.empty() ? s : "Root cause: what no execution before had,\n" + s;
}

// "12:1 40:2": at those decisions, those choices.
std::string schedule_text(const std::vector<Deviation>& path) {
  std::string s;
  for (const Deviation& d : path)
    s += (s.empty() ? "" : " ") + std::to_string(d.decision) + ":" + std::to_string(d.choice);
  return s;
}

// True if something was exposed or predicted that was not before.
bool Covering::learn(TrialDesk& d, std::uint64_t number, const Item* target, const char* stage) {
  const auto recorded = std::make_shared<const Recorded>(d.accesses);
  const covering::Execution& e = recorded->execution;
  truncated_ |= e.truncated;
  covering::Items exposed, predicted;
  const std::uint32_t window = session_.options.window;
  if (wants(Idiom::one)) {
    covering::observe_iroots(e, window, exposed);
    covering::predict_iroots(e, window, predicted);
  }
  if (wants(Idiom::pair)) {
    covering::observe_pairs(e, exposed);
    covering::estimate_pairs(d.accesses.records, d.accesses.count, predicted);
  }
  bool fresh = false;
  std::string schedule;
  if (e.accesses.size() <= kLongest) recorded_.push_back(recorded);
  if (recorded_.size() > kRecorded) recorded_.pop_front();
  if (wants(Idiom::one)) plans_.learn(d.accesses, e);
  for (const Item& i : predicted) {
    State& s = state_of(i);
    fresh |= !s.predicted && !s.remembered;
    s.predicted = true;
    if (s.exposed || settled(s)) continue;
    if (s.possible && s.recorded.expired()) s.recorded = recorded;
    if (s.possible || s.judged == kJudges) continue;
    ++s.judged;
    std::string reason;
    using Answer = covering::Feasibility::Answer;
    if (recorded->feasibility.judge(i, window, reason) == Answer::infeasible) {
      s.infeasible = reason;
      s.decided_by = "closure";
    } else {
      s.possible = true;
      s.recorded = recorded;
      s.infeasible.clear();
      s.decided_by = "";
    }
  }
  for (const Item& i : exposed) {
    State& s = state_of(i);
    ++s.hits;
    if (s.exposed) continue;
    if (!memo_.empty() && schedule.empty()) schedule = schedule_text(deviations_of(d.steps));
    s.schedule = schedule;
    s.infeasible.clear();
    s.exposed = true;
    s.decided_by = (target ? *target == i : *stage != 0) ? stage : "sampling";
    d.seen.add(i);
    fresh |= !settled(s);
    s.execution = number;
    exposed_ += !settled(s);
  }
  // Threads can be interrupted wherever they touch what others do.
  for (const covering::Access& a : e.accesses)
    if (is_memory(a.did) && shared_.insert(pc_of(a.site)).second) known_.promote(pc_of(a.site));
  return fresh;
}

void Covering::learn_races(const TrialDesk& d) {
  for (std::uint32_t n = 0; n < d.race_count; ++n) {
    const Problem& race = d.races[n];
    if (std::any_of(known_.races.begin(), known_.races.end(),
                    [&](const Known::Race& r) { return same_race(r.race, race); }))
      continue;
    Plan plan = replay_plan();
    plan.index = d.trial.plan.index + 1;
    known_.races.push_back({plan, race, d.promoted_count, Profile()});
    race_paths_.push_back(deviations_of(d.steps));
  }
}

void Covering::copy_path(const std::vector<Deviation>& d) {
  Assignment& a = executor_.assignment();
  a.deviation_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(d.size(), Assignment::kSteps));
  std::copy(d.begin(), d.begin() + a.deviation_count, a.deviations);
}

// An execution that aims at nothing, interrupted wherever a place is known to touch what is shared.
bool Covering::sample(Result& result) {
  static constexpr const char* kStrategies[] = {"novelty", "pos",     "novelty", "pct-large",
                                                "novelty", "novelty", "random",  "novelty"};
  Trial t;
  t.plan.seed = mix64(session_.options.seed ^ mix64(result.executions));
  const std::string_view name = kStrategies[result.coverage.profiled % std::size(kStrategies)];
  if (name == "novelty")
    t.how = Trial::How::novelty;
  else
    t.plan.strategy = static_cast<std::uint16_t>(find_strategy(name));
  t.plan.stickiness = 1 + static_cast<std::uint32_t>(t.plan.seed % 6);
  t.plan.depth = 3;
  t.plan.length = std::max(20u, trials_->desk().outcome.decisions);
  const std::uint64_t before = result.executions;
  const bool goes_on = make(result, t, nullptr);
  result.coverage.profiled += result.executions - before;
  return goes_on;
}

// Until some executions in a row have taught nothing; whatever comes later teaches, too.
bool Covering::profile(Result& result) {
  const std::uint32_t enough = session_.options.profile_runs;
  for (std::uint32_t idle = 0, n = 0; idle < enough && n < 2 * enough; ++n) {
    if (!sample(result)) return false;
    idle = fresh_ ? 0 : idle + 1;
  }
  return true;
}

// What is to be executed next: what was planned, attempts at what was predicted, or what aims at
// nothing: whichever has exposed most of late, and now and then the others. The end is when nothing
// is left to be tried and the last fifth of all executions has exposed nothing.
bool Covering::raise(Result& result) {
  enum Arm : std::uint8_t { kPlan, kAttempt, kSample, kArms };
  double yield[kArms] = {1e9, 1, 1};  // items exposed by an execution, lately
  std::uint64_t since = result.executions;
  std::vector<Item> queue;
  for (std::uint32_t turn = 0;; ++turn) {
    if (queue.empty() && wants(Idiom::one)) {
      queue = open_items(false);
      std::reverse(queue.begin(), queue.end());
    }
    while (!queue.empty() && !open(items_[queue.back()])) queue.pop_back();
    const std::uint64_t idle = result.executions - since;
    // Where the memo knew it all, the profile has said so.
    const std::uint64_t least = exposed_ == 0 && !before_.empty() ? 0 : 8;
    if (queue.empty() && open_items(false).empty() && idle >= least &&
        (least == 0 || idle * 5 >= result.executions))
      return true;
    int arm = kSample;
    if (wants(Idiom::one)) {
      for (const int a : {kAttempt, kPlan})
        if (yield[a] >= yield[arm]) arm = a;
      if (turn % 8 == 7) arm = static_cast<int>(turn / 8 % kArms);
    }
    TrialDesk& d = trials_->desk();
    const std::uint64_t seed = mix64(session_.options.seed ^ mix64(~result.executions));
    if (arm == kPlan && !plans_.next(d.seen, session_.options.window, seed, d.turns)) {
      yield[kPlan] = 0;
      arm = yield[kAttempt] >= yield[kSample] ? kAttempt : kSample;
    }
    if (arm == kAttempt && queue.empty()) arm = kSample;
    const std::uint64_t before = exposed_, executed = result.executions;
    if (arm == kPlan) {
      Trial t;
      t.how = Trial::How::guided;
      t.plan.seed = mix64(session_.options.seed ^ mix64(result.executions));
      t.plan.stickiness = 2;
      if (!make(result, t, nullptr, "plan")) return false;
    } else if (arm == kAttempt) {
      const Item item = queue.back();
      queue.pop_back();
      if (!attempt(result, item)) return false;
    } else if (!sample(result)) {
      return false;
    }
    // An attempt may turn out to be impossible without an execution.
    const std::uint64_t made = result.executions - executed;
    if (made == 0) continue;
    const double now = static_cast<double>(exposed_ - before) / static_cast<double>(made);
    yield[arm] = yield[arm] > 1e8 ? now : yield[arm] + (now - yield[arm]) / 4;
    if (exposed_ > before) since = result.executions;
  }
}

std::vector<Item> Covering::open_items(bool pairs) {
  std::vector<Item> out;
  for (const auto& [item, state] : items_)
    if ((item.idiom == Idiom::pair) == pairs && open(state)) out.push_back(item);
  // Idiom by idiom, the program's own code before that of libraries.
  std::sort(out.begin(), out.end(), [&](const Item& a, const Item& b) {
    if (a.idiom != b.idiom) return a.idiom < b.idiom;
    if (const bool own = own_code(a); own != own_code(b)) return own;
    return a < b;
  });
  return out;
}

bool Covering::own_code(const Item& item) {
  for (int i = 0; i < item.places(); ++i)
    if (!text_.place(item.at[i]).user) return false;
  return true;
}

// The scheduling controller goes for all that are left at once, until that stops to help.
bool Covering::raise_pairs(Result& result) {
  while (idle_pairs_ < std::max(session_.options.give_up, 1u)) {
    const std::vector<Item> left = open_items(true);
    if (left.empty()) break;
    PairTargets& targets = trials_->desk().pairs;
    targets.rule3 = session_.options.estimates;
    targets.count = 0;
    for (const Item& i : left)
      if (targets.count < PairTargets::kMost) targets.pair[targets.count++] = {i.at[0], i.at[1]};
    Trial t;
    t.how = Trial::How::pairs;
    t.plan.seed = mix64(session_.options.seed ^ mix64(result.executions));
    if (!make(result, t, &left[0], "active")) return false;
    ++result.coverage.attempted;
    bool helped = false;
    for (const Item& i : left) helped |= items_[i].exposed;
    idle_pairs_ = helped ? 0 : idle_pairs_ + 1;
  }
  for (auto& [item, state] : items_)
    if (item.idiom == Idiom::pair && !state.exposed) state.attempts += idle_pairs_;
  return true;
}

// A schedule that exposes the item, worked out from an execution that was made.
bool Covering::find_witness(const Item& item, State& s, covering::Feasibility::Reads reads) {
  const auto recorded = s.recorded.lock();
  if (!recorded) return false;
  const auto w = recorded->feasibility.witness(item, session_.options.window, reads);
  if (w.infeasible) {
    s.infeasible = "no order of what it needs agrees with all the rest";
    s.decided_by = w.by_solver ? "z3" : "closure";
    s.possible = false;
    return false;
  }
  GuidedTurns& turns = trials_->desk().turns;
  if (w.turns.empty() || w.turns.size() > GuidedTurns::kMost) return false;
  turns.count = static_cast<std::uint32_t>(w.turns.size());
  std::copy(w.turns.begin(), w.turns.end(), turns.turn);
  solved_ = w.by_solver;
  return true;
}

// Schedules from executions that were made: first with the same reads, then with any. After them
// the active scheduler, with complementary priorities, from its third attempt on with random ones.
bool Covering::attempt(Result& result, const Item& item) {
  using Order = ActiveTarget::Order;
  using Reads = covering::Feasibility::Reads;
  for (int made = 0; made < 2 && open(items_[item]);) {
    State& s = items_[item];
    const std::uint32_t n = s.tries++;
    Trial t;
    // Places lie elsewhere in each process: they must not be part of a seed.
    const auto idiom = static_cast<std::uint8_t>(item.idiom);
    t.plan.seed = combine64(mix64(session_.options.seed), combine64(n, idiom));
    const char* stage = "active";
    if (n < 2) {
      if (!find_witness(item, s, n == 0 ? Reads::same : Reads::any)) continue;
      t.how = Trial::How::guided;
      stage = solved_ ? "z3" : "saturation";
    } else {
      t.how = Trial::How::active;
      t.target.idiom = idiom;
      std::copy(item.at, item.at + 4, t.target.at);
      t.target.order = n == 2 ? Order::first_created : n == 3 ? Order::last_created : Order::random;
      t.target.window = session_.options.window;
    }
    ++made;
    if (!make(result, t, &item, stage)) return false;
    ++result.coverage.attempted;
    if (!items_[item].exposed) ++items_[item].attempts;
  }
  return true;
}

void Covering::report(Result& result) {
  Coverage& c = result.coverage;
  c.measured = true;
  c.saturated = !stopped_;
  for (const auto& [item, state] : items_) {
    CoverageItem i = text_.item(item);
    i.exposed = state.exposed;
    i.known = state.known;
    i.predicted = state.predicted;
    i.infeasible = state.infeasible;
    i.decided_by = state.decided_by;
    i.attempts = state.attempts;
    i.execution = state.execution;
    i.hits = state.hits;
    c.items.push_back(std::move(i));
  }
  rank(c);
  compare(c);
  if (truncated_)
    result.notes.emplace_back("coverage: executions were too long to be looked at to their end");
  conclude_coverage(result, result.executions);
}

// As `jostle db items` does, with what this run has added.
void Covering::rank(Coverage& c) {
  Memo left;
  for (const CoverageItem& i : c.items) {
    if (!i.predicted || i.exposed || i.known) continue;
    memo::Item& m = left[i.id];
    if (const auto b = before_.find(i.id); b != before_.end()) m = b->second;
    if (m.first.empty()) m.first = run_.started;
    m.id = i.id;
    m.metric = i.metric;
    m.predicted = true;
    m.failures = i.attempts;
    m.infeasible = i.infeasible;
  }
  std::map<std::string, std::uint32_t> rank;
  for (const memo::Item* m : memo::ranked(left))
    rank.emplace(m->id, static_cast<std::uint32_t>(rank.size() + 1));
  for (CoverageItem& i : c.items)
    if (const auto r = rank.find(i.id); r != rank.end()) i.rank = r->second;
}

void Covering::compare(Coverage& c) {
  c.last_run = last_run_;
  c.compared = !session_.options.against.empty();
  std::set<std::string> here;
  for (const auto& [id, item] : before_)
    if (item.exposed) here.insert(id);
  for (CoverageItem& i : c.items) {
    if (i.exposed) here.insert(i.id);
    const auto a = against_.find(i.id);
    i.against = a != against_.end() && a->second.exposed;
  }
  for (const auto& [id, item] : against_) {
    if (!item.exposed || here.contains(id)) continue;
    CoverageItem i;
    i.metric = item.metric;
    i.id = id;
    i.against = true;
    for (std::size_t at = 0; at < item.places.size();) {
      const std::size_t end = std::min(item.places.find('\n', at), item.places.size());
      i.places.push_back(item.places.substr(at, end - at));
      at = end + 1;
    }
    c.lacking.push_back(std::move(i));
  }
}

}  // namespace

void run_cover(Session& session, Executor& executor, Result& result) {
  Covering(session, executor).go(result);
}

}  // namespace jostle::explore

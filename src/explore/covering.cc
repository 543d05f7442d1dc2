#include "explore/covering.h"

#include <algorithm>
#include <set>

#include "explore/attempts.h"
#include "explore/cover_items.h"
#include "explore/findings.h"
#include "explore/known.h"
#include "explore/measure.h"
#include "explore/plans.h"
#include "explore/rounds.h"
#include "explore/schedules.h"
#include "explore/status.h"
#include "explore/trials.h"

namespace jostle::explore {
namespace {

using covering::Idiom;
using covering::Item;
using State = CoverItems::State;

// Executions are made in rounds: which ones is decided before any of them is made, and results are
// merged in their order. So the same seed gives the same search with any number of processes.
class Covering {
 public:
  Covering(Session& session, Executor& executor)
      : session_(session),
        executor_(executor),
        findings_(session, executor),
        text_(findings_.symbols()),
        memo_(session),
        plans_({.iroots = session.options.metric != Options::Metric::pairs,
                .pairs = session.options.metric != Options::Metric::iroots}) {}

  void go(Result& result);

 private:
  // Ways to choose an execution; from kSample on, those that aim at nothing in particular.
  enum Arm : std::uint8_t { kPlan, kAttempt, kPairs, kSample };
  static constexpr struct {
    const char* strategy;
    bool everywhere;  // see Trial
  } kSamplers[] = {{"novelty", true},    {"pos", false}, {"surw", false},
                   {"pct-large", false}, {"pos", true},  {"random", true}};
  static constexpr std::uint32_t kArms = kSample + std::size(kSamplers);
  // Why a trial is made.
  struct Purpose {
    std::uint32_t arm = kSample;
    const char* stage = "";  // what is said of what it exposes
    bool aims = false;       // at `target`
    Item target;
    std::vector<std::uint64_t> expected;  // of a plan: hashes of what it should expose
    std::uint64_t exposed = 0;            // what came of it
    bool fresh = false;
  };

  struct Race {
    Problem race;
    std::uint64_t execution;
    bool everywhere;         // the scheduling points that it was found with: see Trial
    std::uint32_t promoted;  // how many of them there were
    std::vector<Deviation> path;
  };
  // What executions of a kind expose, lately.
  struct Yield {
    double exposed = 1, executions = 1;
    double each() const { return exposed / executions; }
    void add(double n) {
      constexpr double kKept = 0.9;
      exposed = exposed * kKept + n;
      executions = executions * kKept + 1;
    }
  };

  // Each is false when the search is over.
  bool profile(Result& result);
  bool raise_pairs(Result& result);
  bool raise(Result& result);
  bool sweep(Result& result);
  bool levelled_off(std::uint64_t executions, std::uint64_t enough) const;
  void judge(const std::vector<Item>& left);
  bool make_round(Result& result);
  bool merge(Result& result, Trial& t, Purpose& p);

  // How many executions the next round has: few at first, as each of them teaches much.
  std::uint32_t room(const Result& result) const;
  // The next trial of this round, not yet filled in.
  Trial& next(std::uint32_t arm, std::uint64_t seed);
  void add_sample(Result& result, std::uint32_t arm);
  bool add_plan(Result& result);
  bool add_attempt(std::vector<Item>& queue);
  void add_pairs(Result& result, const std::vector<Item>& left);
  std::uint64_t seed_of_next(const Result& result) const {
    return mix64(session_.options.seed ^ mix64(result.executions + purposes_.size()));
  }

  void show_status(std::uint64_t executions, const Result& result) const;
  void learn_races(const Trial& t);
  bool tell_races(Result& result);
  std::uint32_t promoted_for(const Trial& t) const {
    const TrialDesk& d = trials_->desk();
    return t.everywhere ? d.shared.count : d.racing.count;
  }
  void assign(bool everywhere, std::uint32_t promoted, const std::vector<Deviation>& path);
  void report(Result& result);
  // What went wrong, if something did.
  std::string remember(const Result& result);
  std::string root_cause(const Purpose& p, std::uint64_t number);

  Session& session_;
  Executor& executor_;
  Findings findings_;
  CoverageText text_;
  CoverMemo memo_;
  std::unique_ptr<Trials> trials_;
  std::unique_ptr<CoverItems> items_;
  Plans plans_;
  Known shared_, racing_;             // scheduling points: see Trial
  std::set<std::uint64_t> touching_;  // places that touch what threads share
  std::vector<Race> races_;
  std::size_t told_ = 0;           // of races_
  std::vector<Purpose> purposes_;  // of the trials of this round
  Yield yields_[kArms];
  std::uint32_t sampled_ = 0;
  std::uint64_t exposed_ = 0;               // that were not known
  std::vector<std::uint64_t> curve_ = {0};  // how many they were after so many executions
  std::uint64_t since_ = 0;                 // the last execution that exposed something
  // Executions have more accesses than can be logged: from then on, only those at places that were
  // seen to touch what other threads do. Was that too much, too?
  bool too_long_ = false, selective_ = false, truncated_ = false;
  std::uint32_t length_ = 20;          // decisions of the last execution
  double start_ = 0, remembered_ = 0;  // remembered: when
  bool stopped_ = false;               // before there was nothing left to try
  bool sweeping_ = false;              // see sweep()
  std::uint32_t idle_pairs_ = 0;       // attempts at pairs that did not help, in a row
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
  if (!memo_.open(result)) return;
  const Options& o = session_.options;
  start_ = remembered_ = monotonic_seconds();
  // What one execution leaves behind another may find, and with it places in memory: of processes
  // that do not start from the same state each time, one makes them all.
  trials_ = session_.whole_program() || o.isolation != Options::Isolation::none
                ? trials_elsewhere(session_, std::clamp(o.jobs, 1u, TrialDesk::kTrials))
                : trials_here(session_);
  items_ = std::make_unique<CoverItems>(session_, memo_, text_, trials_->desk().seen);
  show_status(0, result);
  stopped_ = !(profile(result) && raise(result) &&
               (o.metric != Options::Metric::all || raise_pairs(result)));
  result.seconds = monotonic_seconds() - start_;
  tell_races(result);
  if (const std::string why = remember(result); result.error.empty()) result.error = why;
  report(result);
  trials_.reset();
}

// A run that found something only leaves word that it took place: the next one is then the same
// search, and finds it again unless it was mended.
std::string Covering::remember(const Result& result) {
  remembered_ = monotonic_seconds();
  if (!memo_.kept() || result.executions == 0) return "";
  memo::Run about;
  const std::vector<memo::Item> items = items_->news(about, !result.findings.empty());
  about.executions = result.executions;
  about.seconds = monotonic_seconds() - start_;
  return memo_.remember(about, items);
}

std::uint32_t Covering::room(const Result& result) const {
  const std::uint64_t n = std::clamp<std::uint64_t>(result.executions / 8, 1, TrialDesk::kTrials);
  const std::uint64_t most = session_.options.executions;
  return static_cast<std::uint32_t>(
      std::min(n, most - std::min<std::uint64_t>(most, result.executions)));
}

Trial& Covering::next(std::uint32_t arm, std::uint64_t seed) {
  Trial& t = trials_->desk().trial[purposes_.size()];
  purposes_.emplace_back().arm = arm;
  t.how = Trial::How::profile;
  t.everywhere = true;
  t.plan = Plan();
  t.plan.seed = seed;
  return t;
}

bool Covering::make_round(Result& result) {
  const Options& o = session_.options;
  if (purposes_.empty() || out_of_time(session_)) return false;
  TrialDesk& d = trials_->desk();
  d.count = static_cast<std::uint32_t>(purposes_.size());
  d.window = o.window;
  // What is shared is told by the race detector then.
  d.selective = selective_ = too_long_ && session_.settings.races;
  const auto copy = [](const Known& from, TrialDesk::Places& to) {
    to.count = static_cast<std::uint32_t>(from.promoted.size());
    std::copy(from.promoted.begin(), from.promoted.end(), to.pc);
  };
  copy(shared_, d.shared);
  copy(racing_, d.racing);
  for (std::uint32_t i = 0; i < d.count; ++i) d.trial[i].plan.index = result.executions + i;
  if (!trials_->make()) return false;
  d.profile = d.trial[0].profile;
  for (std::size_t i = 0; i < purposes_.size(); ++i)
    if (!merge(result, d.trial[i], purposes_[i])) return false;
  // Not all is lost if this process is killed.
  if (monotonic_seconds() > remembered_ + 5) remember(result);
  return true;
}

void Covering::show_status(std::uint64_t executions, const Result& result) const {
  if (session_.status)
    session_.status->so_far(executions, result.findings.size(),
                            std::to_string(exposed_) + " interleavings exposed, " +
                                std::to_string(items_->size()) + " known of");
}

// "12:1 40:2": at those decisions, those choices.
std::string schedule_text(const std::vector<Deviation>& path) {
  std::string s;
  for (const Deviation& d : path)
    s += (s.empty() ? "" : " ") + std::to_string(d.decision) + ":" + std::to_string(d.choice);
  return s;
}

bool Covering::merge(Result& result, Trial& t, Purpose& p) {
  const Options& o = session_.options;
  const std::uint64_t number = ++result.executions;
  result.coverage.profiled += p.arm >= kSample;
  result.coverage.attempted += p.arm == kAttempt || p.arm == kPairs;
  for (std::uint32_t i = 0; i < t.uncontrolled_count; ++i)
    if (const std::string what = t.uncontrolled[i].what;
        std::find(result.uncontrolled.begin(), result.uncontrolled.end(), what) ==
        result.uncontrolled.end())
      result.uncontrolled.push_back(what);
  if (t.outcome.skipped) {
    result.skipped = true;
    return false;
  }
  if (t.outcome.decisions > 0) length_ = t.outcome.decisions;
  const covering::Execution e(t.accesses);
  const std::string schedule = memo_.kept() ? schedule_text(deviations_of(t.steps)) : "";
  constexpr std::uint64_t kSome = 8;
  const bool some = number % kSome == 1;
  const bool thorough = !sweeping_ && (some || !CoverItems::is_long(e));
  const CoverItems::Lesson lesson = items_->learn(t.accesses, e, schedule, number,
                                                  p.aims ? &p.target : nullptr, p.stage, thorough);
  // Late in a search, what shows nothing new hardly ever does to plans.
  if (thorough && (some || lesson.fresh || number <= CoverItems::kEarly))
    plans_.learn(t.accesses, e);
  p.fresh = lesson.fresh;
  p.exposed = lesson.exposed;
  exposed_ += lesson.exposed;
  curve_.push_back(exposed_);
  plans_.followed(trials_->desk().seen, p.expected, p.exposed);
  if (lesson.exposed > 0) since_ = number;
  if (p.aims && !(*items_)[p.target].exposed) ++(*items_)[p.target].attempts;
  // Threads can be interrupted wherever they touch what others do.
  const auto touches = [&](std::uint64_t pc) {
    return touching_.insert(pc).second && shared_.promote(pc);
  };
  for (const std::uint64_t pc : lesson.places) touches(pc);
  for (std::uint32_t i = 0; i < t.places.count; ++i) p.fresh |= touches(t.places.pc[i]);
  for (std::uint32_t i = 0; selective_ && i < Engine::kFilter; ++i)
    trials_->desk().frequent.at[i] |= t.frequent.at[i];
  if (t.accesses.truncated) (selective_ ? truncated_ : too_long_) = true;
  learn_races(t);
  show_status(number, result);
  if (t.outcome.failure.kind == FindingKind::none) return !(o.stop_on_race && tell_races(result));
  assign(t.everywhere, promoted_for(t), deviations_of(t.steps));
  const std::size_t before = result.findings.size();
  const bool told = findings_.add_failure(result, replay_plan(), t.outcome.failure, number);
  if (told && result.findings.size() > before)
    result.findings.back().report += root_cause(p, number);
  return !(told && !o.keep_going) && result.findings.size() < kMostFindings;
}

// What was made happen; or, if it happened by itself, what no execution before had.
std::string Covering::root_cause(const Purpose& p, std::uint64_t number) {
  if (p.aims && p.target.idiom != Idiom::pair && (*items_)[p.target].execution == number)
    return "Root cause: the iRoot that was made happen,\n  " + text_.sentence(p.target) + "\n";
  std::string s;
  int n = 0;
  for (const bool simple : {false, true})
    for (const auto& [item, state] : *items_)
      if (state.execution == number && item.idiom != Idiom::pair &&
          (item.idiom == Idiom::one) == simple && n++ < 3)
        s += "  " + text_.sentence(item) + "\n";
  return s.empty() ? s : "Root cause: what no execution before had,\n" + s;
}

// Adds those that were not yet to the findings. True if there is one that the user did not know.
bool Covering::tell_races(Result& result) {
  bool news = false;
  for (; told_ < races_.size() && result.findings.size() < kMostFindings; ++told_) {
    const Race& r = races_[told_];
    assign(r.everywhere, r.promoted, r.path);
    news |= findings_.add_race(result, replay_plan(), r.race, r.execution);
  }
  return news;
}

void Covering::learn_races(const Trial& t) {
  for (std::uint32_t n = 0; n < t.race_count; ++n) {
    const Problem& race = t.races[n];
    if (std::any_of(races_.begin(), races_.end(),
                    [&](const Race& r) { return same_race(r.race, race); }))
      continue;
    races_.push_back(
        {race, t.plan.index + 1, t.everywhere, promoted_for(t), deviations_of(t.steps)});
    for (Known* k : {&shared_, &racing_}) k->races.push_back({replay_plan(), race, 0, Profile()});
    if (session_.settings.preempt != Preempt::race) continue;
    if (class_of(race.place.kind) == EventClass::access) racing_.promote(race.place.pc);
    if (class_of(race.other.kind) == EventClass::access)
      racing_.promote(whole(race.place.pc, race.other.pc));
  }
}

// How an execution is made once more: with the scheduling points that it had.
void Covering::assign(bool everywhere, std::uint32_t promoted, const std::vector<Deviation>& path) {
  Assignment& a = executor_.assignment();
  fill(a, everywhere ? shared_ : racing_, promoted, Profile());
  a.deviation_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(path.size(), Assignment::kSteps));
  std::copy(path.begin(), path.begin() + a.deviation_count, a.deviations);
}

// An execution that aims at nothing, interrupted wherever a place is known to touch what is shared.
void Covering::add_sample(Result& result, std::uint32_t arm) {
  Trial& t = next(arm, seed_of_next(result));
  if (arm == kSample)
    t.how = Trial::How::novelty;
  else
    t.plan.strategy = static_cast<std::uint16_t>(find_strategy(kSamplers[arm - kSample].strategy));
  t.everywhere = kSamplers[arm - kSample].everywhere;
  t.plan.stickiness = 1 + static_cast<std::uint32_t>(t.plan.seed % 6);
  t.plan.depth = 3;
  t.plan.length = std::max(20u, length_);
}

// Until some executions in a row have taught nothing; whatever comes later teaches, too.
bool Covering::profile(Result& result) {
  const std::uint32_t enough = session_.options.profile_runs;
  std::uint32_t idle = 0;
  for (std::uint32_t n = 0; idle < enough && n < 2 * enough;) {
    if (too_long_ && !selective_ && session_.settings.races) n = idle = 0;  // it starts only now
    purposes_.clear();
    // Every other one goes for what is new.
    constexpr std::uint32_t kOthers = kArms - kSample - 1;
    for (std::uint32_t room = this->room(result); purposes_.size() < room; ++sampled_)
      add_sample(result, kSample + (sampled_ % 2 == 0 ? 0 : 1 + sampled_ / 2 % kOthers));
    if (!make_round(result)) return false;
    n += static_cast<std::uint32_t>(purposes_.size());
    for (const Purpose& p : purposes_) idle = p.fresh ? 0 : idle + 1;
  }
  return true;
}

bool Covering::add_plan(Result& result) {
  TrialDesk& d = trials_->desk();
  GuidedTurns& turns = d.trial[purposes_.size()].turns;
  const std::uint64_t seed =
      mix64(session_.options.seed ^ mix64(~(result.executions + purposes_.size())));
  std::vector<std::uint64_t> fresh;
  // Where the memo knew most, planning for the little that is left must not take longer than
  // executing does.
  if (!plans_.next(d.seen, session_.options.window, seed, !items_->mostly_settled(), turns, fresh))
    return false;
  Trial& t = next(kPlan, seed_of_next(result));
  purposes_.back().expected = std::move(fresh);
  t.how = Trial::How::guided;
  t.plan.stickiness = 2;
  purposes_.back().stage = "plan";
  return true;
}

// Schedules from executions that were made: first with the same reads, then with any. After them
// the active scheduler, with complementary priorities, from its third attempt on with random ones.
// False if nothing is left to be tried.
bool Covering::add_attempt(std::vector<Item>& queue) {
  using Order = ActiveTarget::Order;
  using Reads = covering::Feasibility::Reads;
  const Options& o = session_.options;
  while (!queue.empty()) {
    const Item item = queue.back();
    queue.pop_back();
    while (items_->open((*items_)[item]) && items_->possible(item)) {
      const std::uint32_t n = (*items_)[item].tries++;
      // Places lie elsewhere in each process: they must not be part of a seed.
      const auto idiom = static_cast<std::uint8_t>(item.idiom);
      const std::uint64_t seed = combine64(mix64(o.seed), combine64(n, idiom));
      const char* stage = "active";
      GuidedTurns& turns = trials_->desk().trial[purposes_.size()].turns;
      if (n < 2) {
        const auto w = items_->witness(item, n == 0 ? Reads::same : Reads::any);
        if (w.turns.empty() || w.turns.size() > GuidedTurns::kMost) continue;
        turns.count = static_cast<std::uint32_t>(w.turns.size());
        std::copy(w.turns.begin(), w.turns.end(), turns.turn);
        stage = w.by_solver ? "z3" : "saturation";
      }
      Trial& t = next(kAttempt, seed);
      t.how = n < 2 ? Trial::How::guided : Trial::How::active;
      t.target.idiom = idiom;
      std::copy(item.at, item.at + 4, t.target.at);
      t.target.order = n == 2 ? Order::first_created : n == 3 ? Order::last_created : Order::random;
      t.target.window = o.window;
      Purpose& p = purposes_.back();
      p.stage = stage;
      p.aims = true;
      p.target = item;
      return true;
    }
  }
  return false;
}

// The second half of the executions has added next to nothing: half a percent of what is known to
// be possible; or, where they are many, not much for so many of them.
bool Covering::levelled_off(std::uint64_t executions, std::uint64_t enough) const {
  constexpr std::uint64_t kVery = 1000;
  if (executions < 2 * enough) return false;
  const std::uint64_t late = exposed_ - curve_[executions / 2];
  const std::uint64_t all = exposed_ + items_->settled();
  return late * 200 <= all || (executions >= kVery && late * 50 <= all && late * 50 <= executions);
}

// What is to be executed next: what was planned, attempts at what was predicted, or what aims at
// nothing: whichever has exposed most of late, and now and then the others. The end is when nothing
// is left to be tried and the last fifth of all executions has exposed nothing; or, whatever is
// left, when the last half has added next to nothing.
bool Covering::raise(Result& result) {
  constexpr std::uint64_t kFew = 8, kMany = 100;  // executions that say little, and enough
  yields_[kPlan].exposed = yields_[kPairs].exposed = 1000;  // they are tried first
  since_ = result.executions;
  std::vector<Item> queue;
  std::uint32_t turn = 0;
  for (;;) {
    const bool attempts = items_->wants(Idiom::one);
    if (queue.empty() && attempts) {
      queue = items_->open_items(false);
      std::reverse(queue.begin(), queue.end());
    }
    const std::vector<Item> pairs = attempts ? std::vector<Item>() : items_->open_items(true);
    const std::uint64_t idle = result.executions - since_;
    // Where the memo knew it all, the profile has said so.
    const std::uint64_t least = exposed_ == 0 && !memo_.empty() ? 0 : kFew;
    if (queue.empty() && pairs.empty() && idle >= least &&
        (least == 0 || idle * 5 >= result.executions))
      return true;
    // Where the memo knew most, there is little to be expected.
    const std::uint64_t enough =
        items_->mostly_settled() ? std::clamp(exposed_, kFew, kMany) : kMany;
    if (levelled_off(result.executions, enough)) {
      if (attempts && !items_->mostly_settled() && !sweep(result)) return false;
      const std::vector<Item> left = items_->open_items(!attempts);
      if (attempts && !items_->mostly_settled()) judge(left);
      // Plans and samples go for everything that is left: it has withstood them.
      for (const Item& i : left)
        if (State& s = (*items_)[i]; s.attempts < session_.options.give_up)
          s.attempts = session_.options.give_up;
      return true;
    }
    purposes_.clear();
    plans_.begin_round();
    const std::uint32_t room = this->room(result);
    bool planned = true, attempted = attempts;  // does that lead to anything in this round?
    for (; purposes_.size() < room; ++turn) {
      const auto usable = [&](std::uint32_t arm) {
        return arm >= kSample || (arm == kPlan && planned) || (arm == kAttempt && attempted) ||
               (arm == kPairs && !pairs.empty());
      };
      // What is left is gone through one by one, half of the time, where nothing exposes much.
      const auto worth = [&](std::uint32_t arm) {
        const double floor = arm == kAttempt && turn % 2 == 0 ? 0.1 : 0;
        return std::max(yields_[arm].each(), floor);
      };
      std::uint32_t arm = kSample;
      for (std::uint32_t a = 0; a < kArms; ++a)
        if (usable(a) && worth(a) > worth(arm)) arm = a;
      if (turn % 8 == 7) arm = turn / 8 % kArms;
      if (arm == kPlan && planned) {
        planned = add_plan(result);
        if (planned) continue;
      }
      if (arm == kAttempt && attempted) {
        attempted = add_attempt(queue);
        if (attempted) continue;
      }
      if (arm == kPairs && !pairs.empty()) add_pairs(result, pairs);
      // All orders that were gone through are expected to expose the same, or nothing.
      if (arm == kPlan && purposes_.empty()) yields_[kPlan].add(0);
      if (arm >= kSample) add_sample(result, arm);
    }
    if (!make_round(result)) return false;
    for (const Purpose& p : purposes_) yields_[p.arm].add(static_cast<double>(p.exposed));
  }
}

// What aims at nothing costs least, and exposes what nobody has predicted: it goes on alone, until
// twice as many executions have exposed less than a hundredth more.
bool Covering::sweep(Result& result) {
  constexpr std::uint64_t kWorth = 100;
  sweeping_ = true;
  const std::uint64_t start = result.executions;
  for (;;) {
    const std::uint64_t late = exposed_ - curve_[result.executions / 2];
    if (result.executions >= 2 * start && late * kWorth <= exposed_ + items_->settled())
      return true;
    purposes_.clear();
    for (std::uint32_t room = this->room(result); purposes_.size() < room; ++sampled_) {
      std::uint32_t arm = kSample;
      for (std::uint32_t a = kSample; a < kArms; ++a)
        if (yields_[a].each() > yields_[arm].each()) arm = a;
      if (sampled_ % 4 == 3) arm = kSample + sampled_ / 4 % (kArms - kSample);
      add_sample(result, arm);
    }
    if (!make_round(result)) return false;
    for (const Purpose& p : purposes_) yields_[p.arm].add(static_cast<double>(p.exposed));
  }
}

// What is left may turn out to be impossible. Working out witnesses takes longer than the closure.
void Covering::judge(const std::vector<Item>& left) {
  std::size_t judged = 0, asked = 0;
  for (const Item& i : left) {
    if (judged++ == 2000) break;
    if (items_->possible(i) && asked++ < 64) items_->witness(i, covering::Feasibility::Reads::any);
  }
}

// The scheduling controller goes for all that are left at once.
void Covering::add_pairs(Result& result, const std::vector<Item>& left) {
  Trial& t = next(kPairs, seed_of_next(result));
  t.how = Trial::How::pairs;
  t.pairs.rule3 = session_.options.estimates;
  t.pairs.count = 0;
  for (const Item& i : left)
    if (t.pairs.count < PairTargets::kMost) t.pairs.pair[t.pairs.count++] = {i.at[0], i.at[1]};
  purposes_.back().stage = "active";
}

// Until that stops to help.
bool Covering::raise_pairs(Result& result) {
  const std::uint32_t most = std::max(session_.options.give_up, 1u);
  while (idle_pairs_ < most) {
    const std::vector<Item> left = items_->open_items(true);
    if (left.empty()) break;
    purposes_.clear();
    const std::uint32_t room = std::min(this->room(result), most - idle_pairs_);
    while (purposes_.size() < room) {
      Trial& t = next(kPairs, seed_of_next(result));
      t.how = Trial::How::pairs;
      t.pairs.rule3 = session_.options.estimates;
      t.pairs.count = 0;
      for (const Item& i : left)
        if (t.pairs.count < PairTargets::kMost) t.pairs.pair[t.pairs.count++] = {i.at[0], i.at[1]};
      purposes_.back().stage = "active";
    }
    if (!make_round(result)) return false;
    for (const Purpose& p : purposes_) idle_pairs_ = p.exposed > 0 ? 0 : idle_pairs_ + 1;
  }
  for (auto& [item, state] : *items_)
    if (item.idiom == Idiom::pair && !state.exposed) state.attempts += idle_pairs_;
  return true;
}

void Covering::report(Result& result) {
  Coverage& c = result.coverage;
  c.measured = true;
  c.saturated = !stopped_;
  items_->report(c);
  memo_.rank(c);
  memo_.compare(c);
  note_long_executions(too_long_, selective_ && !truncated_, result);
  conclude_coverage(result, result.executions);
}

}  // namespace

void run_cover(Session& session, Executor& executor, Result& result) {
  Covering(session, executor).go(result);
}

}  // namespace jostle::explore

#include "benchmarks/search.h"

#include <algorithm>

namespace jostle_bench {

using namespace jostle;
using namespace jostle::explore;

Session session_of(void (*body)(), const Options& options) {
  Session s;
  s.options = options;
  s.settings = settings_of(options);
  s.kind = *search_kind(options.strategy);
  s.body = {[](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(body)};
  s.progress = static_cast<Progress*>(map_pages(sizeof(Progress), true));
  return s;
}

Search::Search(const Session& session, Portfolio portfolio)
    : session_(session),
      portfolio_(portfolio),
      runner_(session.kind == SearchKind::delay ? delaying_runner(session)
                                                : in_process_runner(session)),
      round_(std::make_unique<Round>()),
      last_(std::make_unique<Round>()),
      seen_(Scheduler::kBehaviours) {
  round_->seed = mix64(session.options.seed);
  round_->length = 20;
  const double budget = session.options.budget;
  session.progress->interruption.deadline = budget > 0 ? monotonic_seconds() + budget : 0;
}

const Share& Search::round() {
  Round& r = *round_;
  r.first = executions_;
  r.count = std::min(size_, session_.options.executions - executions_);
  portfolio_.fill(r);
  r.promoted_count = static_cast<std::uint32_t>(known_.promoted.size());
  std::copy(known_.promoted.begin(), known_.promoted.end(), r.promoted);
  const Share& share = *runner_->run(r).front();
  *last_ = r;
  learn(share);
  if (size_ < 4096) size_ *= 2;
  return share;
}

void Search::learn(const Share& share) {
  Round& r = *round_;
  std::vector<std::uint32_t> behaviours;
  for (std::uint32_t i = 0; i < share.fresh_count; ++i) {
    const auto& f = share.fresh[i];
    if (seen_[f.behaviour]) continue;
    seen_[f.behaviour] = true;
    behaviours.push_back(f.behaviour);
    portfolio_.credit(r.arms == 1 ? 0 : r.arm_of(f.index), 1);
  }
  if (r.arms > 1) {
    for (std::uint64_t i = r.first; i < r.first + r.count; i += Round::kBurst)
      portfolio_.used(r.arm_of(i), Round::kBurst);
    portfolio_.end_round();
  }
  runner_->learned(behaviours);
  for (std::uint32_t i = 0; i < share.race_count; ++i)
    note_race(share.races[i].race, share.races[i].plan);
  executions_ += share.executed;
  if (share.length) {
    r.length = share.length;
    r.profile = share.profile;
  }
}

void Search::note_race(const Problem& race, const Plan& plan) {
  for (const Known::Race& r : known_.races)
    if (same_race(r.race, race)) return;
  known_.races.push_back({plan, race, round_->promoted_count, round_->profile});
  if (session_.settings.preempt != Preempt::race) return;
  if (class_of(race.place.kind) == EventClass::access) known_.promote(race.place.pc);
  if (class_of(race.other.kind) == EventClass::access)
    known_.promote(whole(race.place.pc, race.other.pc));
}

}  // namespace jostle_bench

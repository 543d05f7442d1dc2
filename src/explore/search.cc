#include "explore/search.h"

#include <algorithm>
#include <map>

#include "explore/status.h"

namespace jostle::explore {
namespace {

void add_uncontrolled(Result& result, const Uncontrolled& u) {
  for (const std::string& s : result.uncontrolled)
    if (s == u.what) return;
  result.uncontrolled.push_back(u.what);
}

}  // namespace

void Search::go(Result& result) {
  if (auto ok = findings_.load_filters(); !ok) {
    result.error = ok.error();
    return;
  }
  const double start = monotonic_seconds();
  const Options& o = session_.options;
  Round& round = *round_;
  round.seed = mix64(o.seed);
  round.length = 20;
  // Short rounds first: what races promote can only be used in the next one.
  std::uint64_t size = 8;
  bool more = true;
  while (more && result.executions < o.executions) {
    round.first = result.executions;
    round.count = std::min<std::uint64_t>(size, o.executions - result.executions);
    portfolio_.fill(round);
    round.promoted_count = static_cast<std::uint32_t>(known_.promoted.size());
    for (std::size_t i = 0; i < known_.promoted.size(); ++i) round.promoted[i] = known_.promoted[i];
    more = merge(result, runner_.run(round));
    if (session_.status)
      session_.status->after_round(result.executions, known_.races.size() + result.findings.size(),
                                   behaviours_, portfolio_.favourites());
    if (size < 4096) size *= 2;
  }
  tell_races(result);
  result.seconds = monotonic_seconds() - start;
}

bool Search::tell_races(Result& result) {
  bool news = false;
  for (; told_ < known_.races.size() && result.findings.size() < kMostFindings; ++told_) {
    const Known::Race& r = known_.races[told_];
    fill(executor_.assignment(), known_, r.promoted, r.profile);
    news |= findings_.add_race(result, r.plan, r.race, r.plan.index + 1);
  }
  return news;
}

bool Search::merge(Result& result, const std::vector<Share*>& shares) {
  Round& round = *round_;
  // The failure with the smallest number counts, whoever came first.
  const Share* failed = nullptr;
  bool over = false;
  for (const Share* s : shares) {
    if (s->failed && (!failed || s->failure_plan.index < failed->failure_plan.index)) failed = s;
    result.skipped |= s->skipped;
    over |= s->out_of_time || s->skipped;
  }
  const std::uint64_t end = failed ? failed->failure_plan.index + 1 : round.first + round.count;
  std::map<std::uint64_t, std::vector<std::uint32_t>> fresh;
  std::map<std::pair<std::uint64_t, std::uint32_t>, const Problem*> races;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Plan> race_plans;
  std::uint64_t executed = 0;
  for (const Share* s : shares) {
    executed += s->executed;
    for (std::uint32_t i = 0; i < s->fresh_count; ++i)
      if (s->fresh[i].index < end) fresh[s->fresh[i].index].push_back(s->fresh[i].behaviour);
    for (std::uint32_t i = 0; i < s->race_count; ++i)
      if (s->races[i].plan.index < end) {
        races[{s->races[i].plan.index, i}] = &s->races[i].race;
        race_plans[{s->races[i].plan.index, i}] = s->races[i].plan;
      }
    for (std::uint32_t i = 0; i < s->uncontrolled_count; ++i)
      add_uncontrolled(result, s->uncontrolled[i]);
    if (s->length) {
      next_length_ = s->length;
      next_profile_ = s->profile;
    }
  }
  std::vector<std::uint32_t> behaviours;
  for (const auto& [index, bits] : fresh)
    for (const std::uint32_t b : bits) {
      if (seen_[b >> 6] >> (b & 63) & 1) continue;
      seen_[b >> 6] |= 1ull << (b & 63);
      behaviours.push_back(b);
      ++behaviours_;
      portfolio_.credit(round.arms == 1 ? 0 : round.arm_of(index), 1);
    }
  if (round.arms > 1) {
    for (std::uint64_t i = round.first; i < round.first + round.count; i += Round::kBurst)
      portfolio_.used(round.arm_of(i), Round::kBurst);
    portfolio_.end_round();
  }
  runner_.learned(behaviours);
  bool raced = false;
  for (const auto& [key, race] : races) raced |= note_race(*race, race_plans[key]);

  round.recheck_races = failed != nullptr;
  result.executions = failed ? end : round.first + executed;
  if (failed) {
    const std::uint32_t promoted = round.promoted_count;
    fill(executor_.assignment(), known_, promoted, round.profile);
    // One that the user does not want to hear of does not end the search.
    const bool told = findings_.add_failure(result, failed->failure_plan, failed->failure, end);
    if (told && !session_.options.keep_going) over = true;
    if (result.findings.size() >= kMostFindings) over = true;
  }
  if (raced && session_.options.stop_on_race) over |= tell_races(result);
  if (next_length_) {
    round.length = next_length_;
    round.profile = next_profile_;
  }
  return !over && !interrupted(session_);
}

bool Search::note_race(const Problem& race, const Plan& plan) {
  for (const Known::Race& r : known_.races)
    if (same_race(r.race, race)) return false;
  known_.races.push_back({plan, race, round_->promoted_count, round_->profile});
  if (session_.settings.preempt == Preempt::race) {
    if (class_of(race.place.kind) == EventClass::access) known_.promote(race.place.pc);
    if (class_of(race.other.kind) == EventClass::access)
      known_.promote(whole(race.place.pc, race.other.pc));
  }
  return true;
}

}  // namespace jostle::explore

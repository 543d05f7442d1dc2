#include "explore/anchored.h"

#include "explore/schedules.h"
#include "report/frames.h"
#include "runtime/self.h"

namespace jostle::explore {

void AnchoredReplay::begin(const Plan& plan, const Profile& profile) {
  Strategy::begin(plan, profile);
  seen_.clear();
  next_ = 0;
  lines_count_ = plan.seed != 0;
  moved_ = {static_cast<std::int32_t>(plan.seed), (plan.seed >> 32 & 1) != 0};
}

bool AnchoredReplay::same_line(std::uint32_t now, std::uint32_t then) const {
  if (!lines_count_ || then == 0 || (moved_.below_only && now == then)) return true;
  return now == then + static_cast<std::uint32_t>(moved_.by);
}

const AnchoredReplay::Spot& AnchoredReplay::spot(std::uint64_t pc) {
  // The operation may lie in a library, or in a function of the standard library that is not
  // inlined: its user is found on the stack, which only the thread itself can look at. Here it is
  // the thread that runs.
  std::uint64_t pcs[48];
  std::size_t n = capture_stack(pc, pcs, 48);
  if (n == 0) {
    pcs[0] = pc;
    n = 1;
  }
  std::uint64_t stack = 0;
  for (std::size_t i = 0; i < n; ++i) stack = combine64(stack, pcs[i]);
  const auto found = spots_.find(stack);
  if (found != spots_.end()) return found->second;
  const report::Frame f = report::user_frame(symbols_, std::span(pcs, n));
  return spots_[stack] = {report::short_function(f.function),
                          std::string(report::base_name(f.file)), f.line};
}

const ScheduleStep* AnchoredReplay::due(const View& view) {
  if (next_ == schedule_.steps.size() || view.running == kNoThread) return nullptr;
  const ScheduleStep& step = schedule_.steps[next_];
  const Thread& t = view.threads[view.running];
  if (t.path != path_hash(step.at.thread)) return nullptr;
  // Where it came no further, because it ended or waits for ever, there is nothing to name.
  if (step.at.function.empty() && step.at.line == 0 && step.at.kind == EventKind::point)
    return t.finished || !view.enabled().has(view.running) ? &step : nullptr;
  if (t.finished) return nullptr;
  const Op& op = t.pending;
  if (op.kind != step.at.kind) return nullptr;
  const Spot& s = spot(op.pc);
  if (s.function != step.at.function || !same_line(s.line, step.at.line)) return nullptr;
  const std::uint32_t times = seen_[{t.id, op.kind, s.function, s.line}];
  return times == step.at.occurrence ? &step : nullptr;
}

ThreadId AnchoredReplay::pick(const View& view) {
  Thread* self = t_self;
  InRuntime guard(*self);
  if (const ScheduleStep* step = due(view); step && step->kind == ChoiceKind::thread) {
    const std::uint64_t path = path_hash(step->choice);
    for (std::uint32_t i = 0; i < view.count; ++i)
      if (view.threads[i].path == path && view.enabled().has(static_cast<ThreadId>(i))) {
        ++next_;
        return static_cast<ThreadId>(i);
      }
  }
  return standard_choice(view);
}

std::uint32_t AnchoredReplay::choose(ChoiceKind kind, std::uint32_t n, const View& view) {
  InRuntime guard(*t_self);
  const ScheduleStep* step = due(view);
  if (!step || step->kind != kind) return 0;
  ++next_;
  const unsigned long k = std::strtoul(step->choice.c_str(), nullptr, 10);
  return k < n ? static_cast<std::uint32_t>(k) : 0;
}

void AnchoredReplay::performed(const View&, ThreadId t, const Op& op) {
  InRuntime guard(*t_self);
  const Spot& s = spot(op.pc);
  ++seen_[{t, op.kind, s.function, s.line}];
}

// As make_schedule() names it: an access has many callers, but one place.
const AnchoredReplay::Spot& AnchoredReplay::site(std::uint64_t pc) {
  const auto found = sites_.find(pc);
  if (found != sites_.end()) return found->second;
  const report::Frame f = report::user_frame(symbols_, std::span(&pc, 1));
  return sites_[pc] = {report::short_function(f.function), std::string(report::base_name(f.file)),
                       f.line};
}

bool AnchoredReplay::promotes(std::uint64_t pc) {
  InRuntime guard(*t_self);
  const Spot& s = site(pc);
  bool function = false;
  for (const PromotedSite& p : schedule_.promoted) {
    if (p.function != s.function || p.file != s.file) continue;
    if (p.line == s.line) return true;
    function = true;
  }
  // The function's lines have moved: all its accesses, then.
  if (!function) return false;
  for (const PromotedSite& p : schedule_.promoted)
    for (const auto& [other, o] : sites_)
      if (p.function == s.function && o.function == s.function && o.line == p.line) return false;
  return true;
}

}  // namespace jostle::explore

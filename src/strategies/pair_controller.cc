#include "strategies/pair_controller.h"

namespace jostle {

int PairController::uncovered(SiteKey a, SiteKey b) const {
  for (std::uint32_t i = 0; targets_ && i < targets_->count; ++i)
    if (!covered_[i] && targets_->pair[i].first == a && targets_->pair[i].second == b)
      return static_cast<int>(i);
  return -1;
}

std::uint32_t PairController::relevant(SiteKey s) const {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; targets_ && i < targets_->count; ++i)
    n += !covered_[i] && (targets_->pair[i].first == s || targets_->pair[i].second == s);
  return n;
}

SiteKey PairController::last_of(Address lock) const {
  for (std::uint32_t i = 0; i < locks_; ++i)
    if (last_[i].lock == lock) return last_[i].site;
  return 0;
}

ThreadId PairController::pick(const View& view) {
  ThreadId paused[kMaxThreads], free[kMaxThreads];
  Intent intent[kMaxThreads];
  std::uint32_t n = 0, others = 0;
  view.enabled().each([&](ThreadId t) {
    if (wants(view, t, intent[n]) && relevant(intent[n].site) > 0)
      paused[n++] = t;
    else
      free[others++] = t;
  });
  // Who would take the lock that a paused one waits for is paused as well.
  for (std::uint32_t k = 0; k < others;) {
    Intent i{};
    const bool same =
        wants(view, free[k], i) &&
        std::any_of(intent, intent + n, [&](const Intent& p) { return p.object == i.object; });
    if (!same) {
      ++k;
      continue;
    }
    paused[n] = free[k];
    intent[n++] = i;
    free[k] = free[--others];
  }
  if (others > 0) return free[rng_.below(others)];
  // Of several that a rule allows, any: always the same one would lead to the same schedules.
  ThreadId chosen = kNoThread;
  std::uint32_t several = 0;
  const auto offer = [&](ThreadId t) {
    if (rng_.below(++several) == 0) chosen = t;
  };
  // Rather one of another thread than the last: pairs within a thread come by themselves.
  for (const bool same : {false, true})
    for (std::uint32_t k = 0; k < n && (!same || chosen == kNoThread); ++k)
      if (const SiteKey last = last_of(intent[k].object);
          (paused[k] == view.running) == same && last != 0 && uncovered(last, intent[k].site) >= 0)
        offer(paused[k]);
  if (chosen != kNoThread) return chosen;
  for (std::uint32_t k = 0; k < n; ++k)
    if (std::any_of(intent, intent + n, [&](const Intent& other) {
          return &other != &intent[k] && other.object == intent[k].object &&
                 uncovered(intent[k].site, other.site) >= 0;
        }))
      offer(paused[k]);
  if (chosen != kNoThread) return chosen;
  // Somebody can always go on, which the analyzer cannot know: n is not 0.
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn)
  if (!targets_ || !targets_->rule3) return paused[rng_.below(n)];
  // One is the likelier, the less it has to gain. Always the one with the least would be the same
  // schedule over and over, where what is left cannot be covered: here nothing else varies.
  double weights[kMaxThreads], sum = 0;
  for (std::uint32_t k = 0; k < n; ++k) sum += weights[k] = 1.0 / (1 + relevant(intent[k].site));
  double at = rng_.unit() * sum;
  std::uint32_t k = 0;
  while (k + 1 < n && (at -= weights[k]) >= 0) ++k;
  return paused[k];  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): likewise
}

void PairController::performed(const View& view, ThreadId t, const Op& op) {
  Intent i{};
  // A try that failed is told as well; taking it for a lock costs a chance, no more.
  if (!intends(view.threads[t], op, i) || did_at(i.site) != Did::acquire) return;
  for (std::uint32_t k = 0; k < locks_; ++k) {
    if (last_[k].lock != i.object) continue;
    if (const int pair = uncovered(last_[k].site, i.site); pair >= 0) covered_[pair] = true;
    last_[k].site = i.site;
    return;
  }
  if (locks_ < kLocks) last_[locks_++] = {i.object, i.site};
}

}  // namespace jostle

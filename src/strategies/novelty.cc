#include "strategies/novelty.h"

#include <algorithm>
#include <vector>

namespace jostle {

void SeenItems::grow() {
  const std::vector<std::uint64_t> all(slot, slot + size());
  std::fill_n(slot, size(), 0);
  ++doublings;
  for (const std::uint64_t h : all)
    if (h != 0) slot[find(h)] = h;
}

using covering::Exposure;
using covering::Item;
using covering::PastAccess;

// Locks and memory at the same address are different objects.
static Address object_of(const Intent& i) {
  return is_memory(did_at(i.site)) ? i.object : i.object | 1ull << 63;
}

void Novelty::begin(const Plan& plan, const Profile& profile) {
  Strategy::begin(plan, profile);
  ++execution_;
  count_ = 0;
  stickiness_ = std::max(plan.stickiness, 1u);
  std::fill_n(latest_, kMaxThreads, 0u);
}

Novelty::Last* Novelty::last_of(Address object) {
  std::uint64_t i = mix64(object);
  for (std::uint32_t probe = 0; probe < 64; ++probe, ++i) {
    Last& l = last_[i & (kObjects - 1)];
    if (l.execution != execution_) l = {object, 0, execution_};
    if (l.object == object) return &l;
  }
  return nullptr;  // too many: not looked at
}

PastAccess Novelty::access_of(ThreadId t, const Intent& i) const {
  const std::uint32_t before = latest_[t];
  return {i.site, object_of(i),  before ? past_[before - 1].position + 1 : 0, before, 0, 0, 0,
          t,      did_at(i.site)};
}

std::uint32_t Novelty::gain(ThreadId t, const Intent& i) {
  const Last* last = last_of(object_of(i));
  if (!last) return 0;
  std::uint32_t n = 0;
  Exposure(past_, window_).completed_by(access_of(t, i), last->access, [&](const Item& x) {
    n += !seen_->has(x);
  });
  return n;
}

ThreadId Novelty::pick(const View& view) {
  // The most new interleavings now; of equals, any.
  ThreadId best = kNoThread;
  std::uint32_t most = 0, equals = 0;
  view.enabled().each([&](ThreadId t) {
    Intent i{};
    if (!intends(view.threads[t], i)) return;
    const std::uint32_t n = gain(t, i);
    if (n > most) {
      best = t, most = n, equals = 1;
    } else if (n > 0 && n == most && rng_.below(++equals) == 0) {
      best = t;
    }
  });
  if (best != kNoThread) return best;
  // One after which another thread's operation would be new.
  equals = 0;
  view.enabled().each([&](ThreadId t) {
    Intent i{};
    if (!intends(view.threads[t], i)) return;
    bool prepares = false;
    for (std::uint32_t n = 0; n < view.count && !prepares; ++n) {
      const auto u = static_cast<ThreadId>(n);
      Intent j{};
      prepares = u != t && !view.threads[u].finished && intends(view.threads[u], j) &&
                 i.object == j.object && conflicting(did_at(i.site), did_at(j.site)) &&
                 !seen_->has({covering::Idiom::one, {i.site, j.site}});
    }
    if (prepares && rng_.below(++equals) == 0) best = t;
  });
  if (best != kNoThread) return best;
  if (view.running_enabled() && !view.runner_yields() && rng_.below(stickiness_) != 0)
    return view.running;
  view.enabled().each([&](ThreadId t) {
    if (rng_.below(++equals) == 0) best = t;
  });
  return best;
}

void Novelty::performed(const View& view, ThreadId t, const Op& op) {
  Intent i{};
  if (count_ == kPast || !intends(view.threads[t], op, i)) return;
  Last* last = last_of(object_of(i));
  if (!last) return;
  PastAccess now = access_of(t, i);
  Exposure exposure(past_, window_);
  now.same_before = exposure.same_before(now);
  exposure.happened(now, last->access, ++count_);
  last->access = latest_[t] = count_;
}

}  // namespace jostle

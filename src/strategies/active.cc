#include "strategies/active.h"

namespace jostle {

void Active::begin(const Plan& plan, const Profile& profile) {
  Strategy::begin(plan, profile);
  start_over();
}

void Active::start_over() {
  stage_ = kFirst;
  half_ = {target_.at[0], target_.at[1], kNoThread, kNoThread};
  armed_ = false;
  t1_ = t2_ = kNoThread;
  seen_b_ = seen_d_ = false;
  since_ = 0;
}

bool Active::reaches(const View& view, ThreadId t, SiteKey site, ThreadId wanted,
                     Intent& out) const {
  if (wanted != kNoThread && wanted != t) return false;
  return intends(view.threads[t], out) && out.at(site);
}

namespace {
enum Rank { kInvolved, kOrdinary, kBehind, kHeld, kInTheWay, kLast };
}

// Lower goes first.
int Active::rank(const View& view, ThreadId t) const {
  Intent i{};
  const bool acts = intends(view.threads[t], i);
  if (target_.idiom == 5) {
    if (stage_ == kFirst) {
      if (t == t1_) return kLast;  // has executed A
      if (acts && t1_ != kNoThread && i.object == first_object_) return kInTheWay;
      return acts && (i.at(target_.at[0]) || i.at(target_.at[2])) ? kHeld : kOrdinary;
    }
    if (acts && (i.object == first_object_ || i.object == second_object_)) return kInTheWay;
    return t == t1_ || t == t2_ ? kInvolved : kOrdinary;
  }
  if (armed_) {
    const bool touches = acts && i.object == armed_object_;
    if (t == armed_by_ && touches) return kLast;
    if (t == armed_by_ && target_.order != ActiveTarget::Order::random) return kBehind;
    if (touches) return kInTheWay;
  }
  if (stage_ == kSecond && t == t1_ && acts && i.object == first_object_ && !i.at(half_.to) &&
      !i.at(half_.from))
    return kInTheWay;
  Intent at{};
  if (!armed_ && reaches(view, t, half_.from, half_.from_thread, at)) return kHeld;
  if (reaches(view, t, half_.to, half_.to_thread, at)) return kHeld;
  return stage_ == kSecond && (t == t1_ || t == t2_) ? kInvolved : kOrdinary;
}

// Who completes the dependency, or begins it where the other is ready to complete it.
ThreadId Active::decisive(const View& view) const {
  ThreadId found = kNoThread;
  view.enabled().each([&](ThreadId t) {
    Intent i{}, j{};
    if (found != kNoThread) return;
    if (armed_) {
      if (t != armed_by_ && reaches(view, t, half_.to, half_.to_thread, i) &&
          i.object == armed_object_)
        found = t;
      return;
    }
    if (!reaches(view, t, half_.from, half_.from_thread, i)) return;
    // The other may be waiting for what is released here.
    for (std::uint32_t n = 0; n < view.count; ++n) {
      const auto u = static_cast<ThreadId>(n);
      if (u != t && !view.threads[u].finished && reaches(view, u, half_.to, half_.to_thread, j) &&
          i.object == j.object)
        found = t;
    }
  });
  return found;
}

ThreadId Active::decisive_of_five(const View& view) const {
  ThreadId found = kNoThread;
  Intent i{}, j{};
  view.enabled().each([&](ThreadId t) {
    if (found != kNoThread) return;
    if (stage_ == kSecond) {
      if ((t == t2_ && !seen_b_ && reaches(view, t, target_.at[1], t2_, i) &&
           i.object == first_object_) ||
          (t == t1_ && !seen_d_ && reaches(view, t, target_.at[3], t1_, i) &&
           i.object == second_object_))
        found = t;
    } else if (t1_ != kNoThread) {
      if (t != t1_ && reaches(view, t, target_.at[2], kNoThread, i) && i.object != first_object_)
        found = t;
    } else if (reaches(view, t, target_.at[0], kNoThread, i)) {
      view.enabled().each([&](ThreadId u) {
        if (u != t && reaches(view, u, target_.at[2], kNoThread, j) && i.object != j.object)
          found = t;
      });
    }
  });
  return found;
}

ThreadId Active::pick(const View& view) {
  const auto goes_first = [&](ThreadId a, ThreadId b) {
    if (target_.order == ActiveTarget::Order::random) return priority_[a] > priority_[b];
    return target_.order == ActiveTarget::Order::last_created ? a > b : a < b;
  };
  const bool done = stage_ == kDone;
  if (!done)
    if (const ThreadId t = target_.idiom == 5 ? decisive_of_five(view) : decisive(view);
        t != kNoThread)
      return t;
  ThreadId best = kNoThread;
  int best_rank = 0;
  std::uint32_t held = 0;
  view.enabled().each([&](ThreadId t) {
    const int r = done ? 0 : rank(view, t);
    if (best == kNoThread || r < best_rank) {
      best = t, best_rank = r, held = 1;
    } else if (r == best_rank) {
      // Of those that are held, any; of the others, by priority.
      if (r >= kHeld ? rng_.below(++held) == 0 : goes_first(t, best)) best = t;
    }
  });
  return best;
}

bool Active::awaits_outside(const View& view) {
  if (stage_ == kDone) return false;
  bool all_held = true;
  view.enabled().each([&](ThreadId t) { all_held &= rank(view, t) >= kHeld; });
  return all_held && (target_.idiom == 5 ? decisive_of_five(view) : decisive(view)) == kNoThread;
}

void Active::first_exposed(ThreadId from, ThreadId to, Address object) {
  stage_ = target_.idiom == 1 ? kDone : kSecond;
  t1_ = from;
  t2_ = to;
  first_object_ = object;
  since_ = 0;
  armed_ = false;
  switch (target_.idiom) {
    case 2:  // B has been executed, and C is what depends on it
      half_ = {target_.at[1], target_.at[2], t2_, t1_};
      armed_ = true;
      armed_by_ = t2_;
      armed_object_ = object;
      break;
    case 3:
    case 4:
      half_ = {target_.at[2], target_.at[3], t2_, t1_};
      break;
    case 6:
      half_ = {target_.at[2], target_.at[3], t1_, t2_};
      break;
    default:
      break;
  }
}

void Active::performed(const View& view, ThreadId t, const Op& op) {
  Intent i{};
  if (stage_ == kDone || !intends(view.threads[t], op, i)) return;
  if (target_.idiom == 5) return performed_in_five(t, i);
  if (stage_ == kSecond && t == t1_) {
    // Too late, or the object of A was touched again: back to looking for the first half.
    const bool completes = armed_ && t != armed_by_ && i.at(half_.to);
    if (++since_ > target_.window ||
        (target_.idiom != 6 && !completes && i.object == first_object_))
      return start_over();
  }
  if (armed_ && i.object == armed_object_) {
    const bool completes =
        t != armed_by_ && i.at(half_.to) && (half_.to_thread == kNoThread || half_.to_thread == t);
    if (completes) {
      if (stage_ == kFirst)
        first_exposed(armed_by_, t, i.object);
      else
        stage_ = kDone;
      return;
    }
    if (stage_ == kSecond && target_.idiom == 2) return start_over();
    armed_ = false;  // somebody came between
  }
  if (!armed_ && i.at(half_.from) && (half_.from_thread == kNoThread || half_.from_thread == t)) {
    armed_ = true;
    armed_by_ = t;
    armed_object_ = i.object;
  }
}

void Active::performed_in_five(ThreadId t, const Intent& i) {
  if (stage_ == kFirst) {
    if (t1_ == kNoThread) {
      if (!i.at(target_.at[0])) return;
      t1_ = t;
      first_object_ = i.object;
      since_ = 0;
      return;
    }
    if (t != t1_ && i.object != first_object_ && i.at(target_.at[2])) {
      t2_ = t;
      second_object_ = i.object;
      stage_ = kSecond;
      return;
    }
    if (i.object == first_object_ || (t == t1_ && ++since_ > target_.window)) start_over();
    return;
  }
  if (t == t2_ && i.object == first_object_ && i.at(target_.at[1]))
    seen_b_ = true;
  else if (t == t1_ && i.object == second_object_ && i.at(target_.at[3]))
    seen_d_ = true;
  else if ((i.object == first_object_ && !seen_b_) || (i.object == second_object_ && !seen_d_) ||
           (t == t1_ && ++since_ > target_.window))
    return start_over();
  if (seen_b_ && seen_d_) stage_ = kDone;
}

}  // namespace jostle

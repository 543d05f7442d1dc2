#include "check/order.h"

#include <algorithm>
#include <bitset>
#include <cstring>

#include "base/rng.h"

namespace jostle::checking {
namespace {

// All that can be done to objects of that class.
constexpr std::uint32_t all_of(TouchClass c) {
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kTouches; ++i)
    if (kTouchClass[i] == c) mask |= 1u << i;
  return mask;
}

template <class F>
constexpr std::uint32_t those(F f) {
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kTouches; ++i)
    if (f(static_cast<Touch>(i))) mask |= 1u << i;
  return mask;
}
constexpr bool is_in(Touch t, std::uint32_t mask) {
  return mask >> static_cast<std::uint32_t>(t) & 1;
}

constexpr std::uint32_t kStrong =
    those([](Touch t) { return depends_on(t) == all_of(class_of(t)); });
constexpr std::uint32_t kLooksAtStrong =
    those([](Touch t) { return (depends_on(t) & ~kStrong) == 0; });
// It depends on everything that can be done to such an object: whatever came earlier is before it.
constexpr bool strong(Touch t) { return is_in(t, kStrong); }
// What depends on those alone need not look at the others: a read, at many reads.
constexpr bool looks_at_strong_ones(Touch t) { return is_in(t, kLooksAtStrong); }

bool waits_for_object(EventKind k) {
  switch (k) {
    case EventKind::mutex_lock:
    case EventKind::spin_lock:
    case EventKind::cond_reacquire:
    case EventKind::once_enter:
    case EventKind::rwlock_rdlock:
    case EventKind::rwlock_wrlock:
    case EventKind::sem_wait:
      return true;
    default:
      return false;
  }
}
bool waits(EventKind k) { return waits_for_object(k) || k == EventKind::thread_join; }

// What an access does to the state that is kept for its object.
std::uint32_t after(Touch t, std::uint32_t state) {
  switch (t) {
    case Touch::acquire:
      return 1;
    case Touch::release:
      return 0;
    case Touch::write_acquire:
      return state | 1u << 16;
    case Touch::write_release:
      return state & 0xffff;
    case Touch::read_acquire:
      return state + 1;
    case Touch::read_release:
      return state - 1;
    default:
      return state;
  }
}

}  // namespace

std::uint32_t Order::next_of(ThreadId t, std::uint32_t i) const {
  const auto& v = of_thread_[t];
  const auto it = std::lower_bound(v.begin(), v.end(), i);
  return it == v.end() ? kNone : *it;
}

bool Order::could_go(std::uint32_t k, ThreadId t) const {
  const Step& s = log_->steps[k];
  for (std::uint32_t i = 0; i < s.candidate_count; ++i)
    if (log_->lists[s.candidates + i] == t) return true;
  return s.thread == t;
}

namespace {

std::uint64_t hash(Address object, TouchClass cls, std::uint32_t size) {
  std::uint64_t h = (object + (static_cast<std::uint64_t>(cls) << 56) +
                     (static_cast<std::uint64_t>(size) << 48)) *
                    0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}
std::uint32_t size_of(const Access& a) {
  return class_of(a.touch) == TouchClass::memory ? a.size : 0;
}

}  // namespace

const Order::Key* Order::find_key(const Access& a) const {
  const TouchClass cls = class_of(a.touch);
  const std::uint32_t size = size_of(a);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash(a.object, cls, size) & mask; slots_[i] != 0; i = (i + 1) & mask) {
    const Key& k = keys_[slots_[i] - 1];
    if (k.object == a.object && k.cls == cls && k.size == size) return &k;
  }
  return nullptr;
}

std::uint32_t Order::key_of(const Access& a) {
  if (const Key* k = find_key(a)) return static_cast<std::uint32_t>(k - keys_.data());
  const TouchClass cls = class_of(a.touch);
  const auto index = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back({a.object, size_of(a), cls, false, 0, 0, 0, 0});
  if (of_key_.size() <= index) of_key_.emplace_back();
  std::uint32_t from = index;
  if (keys_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, 0);
    cells_.assign(slots_.size(), 0);
    from = wide_ = 0;
    aliases_.clear();
  }
  for (std::uint32_t k = from; k <= index; ++k) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash(keys_[k].object, keys_[k].cls, keys_[k].size) & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = k + 1;
    if (keys_[k].cls == TouchClass::memory) find_aliases(k);
  }
  return index;
}

void Order::find_aliases(std::uint32_t key) {
  const auto compare = [&](std::uint32_t other) {
    Key &a = keys_[key], &b = keys_[other];
    if (b.cls != TouchClass::memory || a.object >= b.object + b.size ||
        b.object >= a.object + a.size)
      return;
    a.aliased = b.aliased = true;
    aliases_.emplace_back(key, other);
    aliases_.emplace_back(other, key);
  };
  Key& k = keys_[key];
  wide_ += is_wide(k);
  if (wide_)
    for (std::uint32_t o = 0; o < key; ++o) compare(o);
  const std::size_t mask = cells_.size() - 1;
  std::size_t i = hash(k.object >> 3, TouchClass::memory, 0) & mask;
  while (cells_[i] != 0 && keys_[cells_[i] - 1].object >> 3 != k.object >> 3) i = (i + 1) & mask;
  k.next_in_cell = cells_[i];
  if (!wide_)
    for (std::uint32_t o = k.next_in_cell; o != 0; o = keys_[o - 1].next_in_cell) compare(o - 1);
  cells_[i] = key + 1;
}

void Order::read(const StepLog& log, std::uint32_t races_from, std::uint32_t steps) {
  races_from_ = races_from;
  log_ = &log;
  made_ = std::min(log.step_count, steps);
  const std::uint32_t stride = (log.thread_count + 3) & ~3u;
  kept_ = stride == stride_ ? same_steps(std::min(made_, races_from)) : 0;
  if (slots_.empty()) {
    slots_.assign(256, 0);
    cells_ = slots_;
  }
  forget_from(kept_);
  threads_ = log.thread_count;
  stride_ = stride;
  if (of_thread_.size() < threads_) of_thread_.resize(threads_);
  wish();
  all_ = made_ + static_cast<std::uint32_t>(wished_.size());
  room(events_, all_);
  room(marks_, all_);
  room(clocks_, std::size_t{all_} * stride_);
  room(entry_of_, log.access_count);
  room(entries_, log.access_count);
  for (std::uint32_t i = kept_; i < all_; ++i) enter(i);
  for (std::uint32_t i = races_from_; i < made_; ++i)
    if (step(i).timed && waits(step(i).kind)) find_races_with_time(i);
  remember_from(kept_);
}

// How many steps are those of the execution that was read last.
std::uint32_t Order::same_steps(std::uint32_t limit) const {
  limit = std::min(limit, static_cast<std::uint32_t>(read_steps_.size()));
  if (limit == 0) return 0;
  // Mostly all of them.
  const Step& last = read_steps_[limit - 1];
  const std::uint32_t accesses = last.access + last.accesses;
  if (accesses <= read_accesses_.size() &&
      std::memcmp(log_->steps, read_steps_.data(), limit * sizeof(Step)) == 0 &&
      std::memcmp(log_->accesses, read_accesses_.data(), accesses * sizeof(Access)) == 0)
    return limit;
  std::uint32_t i = 0;
  for (; i < limit; ++i) {
    const Step& s = log_->steps[i];
    if (std::memcmp(&s, &read_steps_[i], sizeof(Step)) != 0 ||
        s.access + s.accesses > read_accesses_.size())
      break;
    if (std::memcmp(log_->accesses + s.access, &read_accesses_[s.access],
                    s.accesses * sizeof(Access)) != 0)
      break;
  }
  return i;
}

void Order::remember_from(std::uint32_t step) {
  read_steps_.resize(step);
  read_steps_.insert(read_steps_.end(), log_->steps + step, log_->steps + made_);
  const std::uint32_t end = made_ ? read_steps_.back().access + read_steps_.back().accesses : 0;
  const auto begin = std::min<std::size_t>(step < made_ ? read_steps_[step].access : end, end);
  read_accesses_.resize(std::min(read_accesses_.size(), begin));
  read_accesses_.insert(read_accesses_.end(), log_->accesses + read_accesses_.size(),
                        log_->accesses + end);
}

// Takes back, last first, what entering the steps from this one on has changed.
void Order::forget_from(std::uint32_t step) {
  races_.clear();
  if (step < all_) {
    const Mark& mark = marks_[step];
    while (entry_count_ > mark.entries) {
      const Entry& e = entries_[--entry_count_];
      Key& key = keys_[e.key];
      of_key_[e.key].pop_back();
      key.last = e.previous;
      key.strong = e.strong;
      key.state = e.state;
    }
    while (keys_.size() > mark.keys) forget_key();
    aliases_.resize(mark.aliases);
  }
  while (all_ > step) of_thread_[events_[--all_].thread].pop_back();
}

// The newest: in the tables, nothing was put behind it.
void Order::forget_key() {
  const auto last = static_cast<std::uint32_t>(keys_.size());
  const Key& k = keys_.back();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash(k.object, k.cls, k.size) & mask;
  while (slots_[i] != last) i = (i + 1) & mask;
  slots_[i] = 0;
  if (k.cls == TouchClass::memory) {
    wide_ -= is_wide(k);
    i = hash(k.object >> 3, TouchClass::memory, 0) & mask;
    while (cells_[i] != last) i = (i + 1) & mask;
    cells_[i] = k.next_in_cell;
  }
  keys_.pop_back();
}

// What threads were waiting to do. Where it is cut short, that is what they did later, unless
// something had to happen first.
void Order::wish() {
  wished_.clear();
  std::bitset<kMaxThreads> seen;
  for (std::uint32_t i = made_; i < log_->step_count; ++i) {
    const Step& s = log_->steps[i];
    if (seen[s.thread]) continue;
    seen.set(s.thread);
    if (i != made_ && waits_for_object(s.kind) && s.enabled_by <= made_) wished_.push_back(&s);
  }
  for (std::uint32_t i = 0; i < log_->pending_count; ++i) {
    const Step& s = log_->pending[i];
    if (!seen[s.thread] && s.enabled_by <= made_) wished_.push_back(&s);
  }
}

// What was done before something that everything depends on is known by that.
inline void Order::learn(std::uint32_t* clock_of_step, const Key& key, Touch touch) const {
  for (std::uint32_t at = looks_at_strong_ones(touch) ? key.strong : key.last; at != 0;) {
    const Entry& e = entries_[at - 1];
    at = e.previous;
    if (!dependent(e.touch, touch)) continue;
    join(clock_of_step, clock(e.step), stride_);
    if (strong(e.touch)) return;
  }
}

void Order::enter(std::uint32_t i) {
  const Step& s = step(i);
  const ThreadId t = s.thread;
  auto& mine = of_thread_[t];
  std::uint32_t* const c = &clocks_[std::size_t{i} * stride_];
  if (mine.empty())
    std::fill_n(c, stride_, 0u);
  else
    copy(c, clock(mine.back()), stride_);
  if (s.enabled_by && s.enabled_by - 1 < i) join(c, clock(s.enabled_by - 1), stride_);
  const auto ordinal = static_cast<std::uint32_t>(mine.size() + 1);
  events_[i] = {t, ordinal};

  marks_[i] = {entry_count_, static_cast<std::uint32_t>(keys_.size()),
               static_cast<std::uint32_t>(aliases_.size())};
  const Access* const touched = log_->accesses + s.access;
  const std::uint32_t n = s.accesses;
  room(step_keys_, n);
  for (std::uint32_t k = 0; k < n; ++k) step_keys_[k] = key_of(touched[k]);
  if (i >= races_from_) find_races(i, s, c);
  // It came after everything; but there were steps instead of which time could have run out early.
  if (s.idle)
    for (std::uint32_t o = 0; o < threads_; ++o)
      if (!of_thread_[o].empty()) join(c, clock(of_thread_[o].back()), stride_);
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t key = step_keys_[k];
    learn(c, keys_[key], touched[k].touch);
    if (JOSTLE_UNLIKELY(keys_[key].aliased))
      for (const auto& [from, to] : aliases_)
        if (from == key) learn(c, keys_[to], touched[k].touch);
  }
  c[t] = ordinal;
  mine.push_back(i);
  if (i >= made_) return;  // nothing comes after what is only wished for
  std::uint32_t count = entry_count_;
  for (std::uint32_t k = 0; k < n; ++k) {
    const Touch touch = touched[k].touch;
    Key& key = keys_[step_keys_[k]];
    of_key_[step_keys_[k]].push_back(count);
    entries_[count++] = {i,     key.last,  step_keys_[k],    key.strong,
                         touch, key.state, touched[k].before};
    entry_of_[s.access + k] = key.last = count;
    if (strong(touch)) key.strong = count;
    key.state = after(touch, key.state);
  }
  entry_count_ = count;
}

// Another thread's step has let it go on.
bool Order::woken(std::uint32_t i) const {
  const Step& s = step(i);
  return s.enabled_by && s.enabled_by - 1 < i && log_->steps[s.enabled_by - 1].thread != s.thread &&
         s.kind != EventKind::thread_start;
}

// `past`: what is before step i even without its own accesses.
void Order::find_races(std::uint32_t i, const Step& s, const std::uint32_t* past) {
  candidates_.clear();
  for (std::uint32_t k = 0; k < s.accesses; ++k) {
    const Access& a = log_->accesses[s.access + k];
    const std::uint32_t key = step_keys_[k];
    find_races_on(i, s, a, key, past);
    if (keys_[key].aliased)
      for (const auto& [from, to] : aliases_)
        if (from == key) find_races_on(i, s, a, to, past);
  }
  // Woken by somebody, when it could just as well have gone on by itself, then or earlier.
  if (woken(i)) {
    const std::uint32_t by = s.enabled_by - 1;
    if (could_go(by, s.thread)) candidates_.push_back(by);
    Access touches[kMostTouches];
    const std::uint32_t n = leaving(i, touches);
    for (std::uint32_t x = 0; x < n; ++x) {
      const Key* key = find_key(touches[x]);
      for (std::uint32_t at = key ? key->last : 0; at != 0; at = entries_[at - 1].previous) {
        const Entry& e = entries_[at - 1];
        if (e.step <= of_thread_[s.thread].back()) break;
        if (e.step < by && before(e.step, by) && dependent(e.touch, touches[x].touch) &&
            could_go(e.step, s.thread))
          candidates_.push_back(e.step);
      }
    }
  }
  // The end came while it could go on.
  if (i >= made_ && made_ == log_->step_count && s.running != kNoThread &&
      log_->ended_by != kNoThread && !of_thread_[log_->ended_by].empty()) {
    const std::uint32_t last = of_thread_[log_->ended_by].back();
    if (past[log_->ended_by] < events_[last].ordinal) candidates_.push_back(last);
  }
  if (candidates_.empty()) return;
  if (candidates_.size() > 1) {
    std::sort(candidates_.begin(), candidates_.end(), std::greater<>());
    candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  }
  const std::size_t begin = races_.size();
  for (const std::uint32_t k : candidates_) {
    bool covered = false;
    for (std::size_t r = begin; r < races_.size() && !covered; ++r)
      covered = before(k, races_[r].first);
    if (!covered) races_.push_back({k, i});
  }
}

void Order::find_races_on(std::uint32_t i, const Step& s, const Access& a, std::uint32_t key,
                          const std::uint32_t* past) {
  const ThreadId t = s.thread;
  const bool jumps = looks_at_strong_ones(a.touch);
  for (std::uint32_t at = jumps ? keys_[key].strong : keys_[key].last; at != 0;) {
    const Entry& e = entries_[at - 1];
    at = jumps ? e.strong : e.previous;
    if (!dependent(e.touch, a.touch)) continue;
    const ThreadId other = events_[e.step].thread;
    if (other == t || past[other] >= events_[e.step].ordinal) {
      if (strong(e.touch)) return;
      continue;
    }
    if (!reversible(e, i, s, a)) continue;
    candidates_.push_back(e.step);
    if (strong(e.touch)) return;
  }
}

std::uint32_t Order::lets_go_on(std::uint32_t i) const {
  const Step& s = step(i);
  if (s.accesses == 0 || !(waits(s.kind) || s.awaited)) return kNone;
  const std::uint32_t last = ordinal(i) > 1 ? nth_of(s.thread, ordinal(i) - 1) : kNone;
  const auto lets_go = [&](Touch t) {
    switch (t) {
      case Touch::release:
      case Touch::read_release:
      case Touch::write_release:
      case Touch::post:
      case Touch::end:
        return true;
      default:
        return s.awaited && t == Touch::write;
    }
  };
  for (std::uint32_t at = entries_[entry_of_[s.access] - 1].previous; at != 0;) {
    const Entry& e = entries_[at - 1];
    at = e.previous;
    if (e.step >= i || events_[e.step].thread == s.thread || !lets_go(e.touch)) continue;
    return last != kNone && last > e.step ? e.step : kNone;
  }
  return kNone;
}

// Had it been made before step k: time would have run out.
bool Order::runs_out(std::uint32_t i, std::uint32_t k) const {
  Access touches[kMostTouches];
  const std::uint32_t n = touches_after(i, k, touches);
  return std::any_of(touches, touches + n, [](const Access& a) { return a.touch == Touch::tick; });
}

// Its thread got what it was waiting for, and whoever gave it could not have come too late: too
// many limits have passed early by then, or a nearer one was set. Before that, time could have run
// out.
void Order::find_races_with_time(std::uint32_t i) {
  const Key* key = find_key({StepLog::kClock, 0, 0, 1, Touch::tick});
  if (!key) return;
  const Step& s = step(i);
  for (std::uint32_t x = 0; x < s.accesses; ++x)
    if (accesses(i)[x].touch == Touch::tick) return;
  for (const Race& r : races_)
    if (r.second == i && runs_out(i, r.first)) return;
  const std::uint32_t last =
      events_[i].ordinal > 1 ? nth_of(s.thread, events_[i].ordinal - 1) : kNone;
  const std::size_t begin = races_.size();
  for (std::uint32_t at = key->last; at != 0;) {
    const std::uint32_t k = entries_[at - 1].step;
    at = entries_[at - 1].previous;
    if (k >= i || events_[k].thread == s.thread || (last != kNone && before(k, last))) continue;
    const bool waited = last == kNone || last < k;
    if (!(waited ? could_go(k, s.thread) : time_may_run_out(k, i)) || !runs_out(i, k)) continue;
    const bool covered =
        std::any_of(races_.begin() + static_cast<std::ptrdiff_t>(begin), races_.end(),
                    [&](const Race& r) { return before(k, r.first); });
    if (!covered) races_.push_back({k, i});
  }
}

// Had step j's thread come to wait for it before step k: could time have run out early?
bool Order::time_may_run_out(std::uint32_t k, std::uint32_t j) const {
  std::uint32_t early = 0;
  for (std::uint32_t i = 0; i < j && i < made_; ++i)
    early += log_->steps[i].early && (i < k || !before(k, i));
  return early < log_->timeouts;
}

// Could step j be made before step e.step, after whatever need not come after that?
bool Order::reversible(const Entry& e, std::uint32_t j, const Step& s, const Access& a) const {
  const std::uint32_t k = e.step;
  // Who could go on instead of k says something about j only if j's thread was waiting for j then.
  const auto& mine = of_thread_[s.thread];
  const bool waited = mine.empty() || mine.back() < k;
  const bool could = waited && could_go(k, s.thread);
  const Access* first = log_->accesses + s.access;
  if (s.accesses > 0 && first->touch == Touch::tick)
    // Time ran out. Before whatever it found taken it might not have waited at all.
    return waited ? could : a.touch != Touch::tick || time_may_run_out(k, j);
  if (s.awaited) {
    if (could) return true;
    for (std::uint32_t x = 0; x < s.accesses; ++x)
      if (first_dependent(first + x, 1, k + 1, j, k) != kNone) return true;
    return false;
  }
  if (!waits(s.kind)) return true;
  const bool by_time = s.timed && (waited ? could : time_may_run_out(k, j));
  if (by_time) return true;
  // Whatever else it does, it does not do it before it was let go on: what it waits for, as it was
  // before k, and what others have done to it since without waiting for k.
  const bool on_same = first->object == a.object && class_of(first->touch) == class_of(a.touch);
  const Key& key = keys_[step_keys_[0]];
  std::uint32_t oldest = 0;  // since k
  std::int64_t change = 0;
  bool ended = true;
  for (std::uint32_t at = key.last; at != 0 && entries_[at - 1].step >= k;) {
    const Entry& x = entries_[at - 1];
    oldest = at;
    at = x.previous;
    if (before(k, x.step)) {
      ended &= x.touch != Touch::end;
      continue;
    }
    switch (x.touch) {
      case Touch::take:
      case Touch::read_release:
      case Touch::release:
        --change;
        break;
      case Touch::post:
      case Touch::read_acquire:
      case Touch::acquire:
        ++change;
        break;
      case Touch::write_release:
        change -= 1 << 16;
        break;
      case Touch::write_acquire:
        change += 1 << 16;
        break;
      default:
        break;
    }
  }
  if (oldest == 0) return true;  // nothing has changed
  const Entry& since = entries_[oldest - 1];
  switch (first->touch) {
    case Touch::acquire:
    case Touch::look_lock:
      return since.state + change == 0;
    case Touch::join:  // of one that was detached, it goes on at once
      return could || (!on_same && ended);
    case Touch::look_read:
    case Touch::look_write:
    case Touch::look_semaphore:
      return !on_same;
    case Touch::read_acquire:
      return (since.state + change) >> 16 == 0;
    case Touch::write_acquire:
      return since.state + change == 0;
    case Touch::take:
      return static_cast<std::int64_t>(since.value) + change > 0;
    default:
      return true;
  }
}

// Had it been made while its thread still waited in a queue: it would have left it, since time ran
// out or for no reason.
std::uint32_t Order::leaving(std::uint32_t i, Access* out) const {
  std::uint32_t n = 0;
  if (events_[i].ordinal < 2) return 0;
  const std::uint32_t waits = nth_of(events_[i].thread, events_[i].ordinal - 1);
  const bool timed = step(waits).timed;
  for (std::uint32_t x = 0; x < step(waits).accesses; ++x) {
    const Access& a = accesses(waits)[x];
    if (a.touch == Touch::wait) out[n++] = {a.object, 0, 0, a.size, Touch::leave};
  }
  out[n++] = {timed ? StepLog::kClock : StepLog::kSpurious, 0, 0, 1, Touch::tick};
  return n;
}

std::uint32_t Order::touches_at(std::uint32_t i, std::uint32_t k,
                                Access (&out)[kMostTouches]) const {
  const Step& s = step(i);
  if (k < i && s.enabled_by > k && s.kind != EventKind::thread_start) return leaving(i, out);
  return touches_without(i, k, true, out);
}

std::uint32_t Order::touches_after(std::uint32_t i, std::uint32_t k,
                                   Access (&out)[kMostTouches]) const {
  return touches_without(i, k, false, out);
}

// Without step k and what comes after it; with `all_since`, without whatever was made since.
std::uint32_t Order::touches_without(std::uint32_t i, std::uint32_t k, bool all_since,
                                     Access (&out)[kMostTouches]) const {
  const Step& s = step(i);
  if (k < i && woken(i) && before(k, s.enabled_by - 1)) return leaving(i, out);
  std::uint32_t n = 0;
  for (; n < s.accesses && n < kMostTouches; ++n) out[n] = log_->accesses[s.access + n];
  const bool decided_there = s.conditional || (s.timed && waits(s.kind));
  if (!decided_there || i >= made_ || k == i) return n;
  const std::uint32_t all = n;
  const bool futex = s.kind == EventKind::futex_wait;
  Address ticks = 0;  // time runs out, or it fails for no reason
  const bool waited = futex && all > 1 && out[1].touch == Touch::wait;
  bool waits_in_queue = false;
  bool otherwise = false;  // it would have come out so, and its thread might have gone on so
  n = 0;
  for (std::uint32_t x = 0; x < all; ++x) {
    if (x == 1 && waited) continue;
    // Behind the operation itself stands the limit of the thread's next wait, or its end.
    const bool goes_on = class_of(out[x].touch) == TouchClass::shared || out[x].touch == Touch::end;
    if (goes_on && (n == 0 || waited || otherwise)) continue;
    const Touch done = out[x].touch;
    Access& a = out[n++] = out[x];
    const std::uint32_t index = entry_of_[s.access + x];
    if (index == 0) continue;
    // The first access to the object that is left out shows what there was.
    const Entry* e = &entries_[index - 1];
    for (std::uint32_t p = e->previous; p != 0 && entries_[p - 1].step >= k;
         p = entries_[p - 1].previous)
      if (all_since || before(k, entries_[p - 1].step)) e = &entries_[p - 1];
    bool fails = false;
    switch (s.kind) {
      case EventKind::atomic_cas:
        if (class_of(a.touch) != TouchClass::memory) break;
        a.touch = e->value == a.operand && !(s.weak && (s.fails() || is_to_fail(i))) ? Touch::write
                                                                                     : Touch::read;
        break;
      case EventKind::mutex_lock:
      case EventKind::spin_lock:
      case EventKind::mutex_trylock:
      case EventKind::spin_trylock:
      case EventKind::once_enter:
        if (class_of(a.touch) != TouchClass::lock) break;
        fails = e->touch != Touch::acquire;
        a.touch = fails ? Touch::look_lock : Touch::acquire;
        break;
      case EventKind::rwlock_rdlock:
      case EventKind::rwlock_tryrdlock:
        if (class_of(a.touch) != TouchClass::rwlock) break;
        fails = e->state >> 16;
        a.touch = fails ? Touch::look_read : Touch::read_acquire;
        break;
      case EventKind::rwlock_wrlock:
      case EventKind::rwlock_trywrlock:
        if (class_of(a.touch) != TouchClass::rwlock) break;
        fails = e->state;
        a.touch = fails ? Touch::look_write : Touch::write_acquire;
        break;
      case EventKind::sem_wait:
      case EventKind::sem_trywait:
        if (class_of(a.touch) != TouchClass::semaphore) break;
        fails = !e->value;
        a.touch = fails ? Touch::look_semaphore : Touch::take;
        break;
      case EventKind::thread_join:
        fails = a.touch == Touch::join;
        break;
      case EventKind::futex_wait:
        if (x == 0) waits_in_queue = e->value == a.operand;
        if (waits_in_queue && s.timed) ticks = StepLog::kClock;
        otherwise |= waits_in_queue != waited;
        break;
      default:
        break;
    }
    if (fails && s.timed) ticks = StepLog::kClock;
    otherwise |= a.touch != done;
  }
  if (ticks && n < kMostTouches) out[n++] = {ticks, 0, 0, 1, Touch::tick};
  if (waits_in_queue && n < kMostTouches)
    out[n++] = {log_->accesses[s.access].object, 0, 0, 1, Touch::wait};
  return n;
}

bool Order::is_to_fail(std::uint32_t i) const {
  if (fails_.count == 0) return false;
  std::uint32_t n = 1;
  for (std::uint32_t o = 1; o < ordinal(i); ++o) n += step(nth_of(thread(i), o)).matches;
  return fails_.has(thread(i), n);
}

std::uint32_t Order::first_dependent(const Access* touches, std::uint32_t n, std::uint32_t first,
                                     std::uint32_t end, std::uint32_t free_of) const {
  std::uint32_t best = kNone;
  for (std::uint32_t x = 0; x < n; ++x) {
    const auto scan = [&](std::size_t key) {
      const auto& list = of_key_[key];
      auto it =
          std::lower_bound(list.begin(), list.end(), first,
                           [&](std::uint32_t e, std::uint32_t s) { return entries_[e].step < s; });
      for (; it != list.end() && entries_[*it].step < std::min(end, best); ++it) {
        const Entry& e = entries_[*it];
        if (!dependent(e.touch, touches[x].touch)) continue;
        if (free_of != kNone && before(free_of, e.step)) continue;
        best = e.step;
      }
    };
    const Key* key = find_key(touches[x]);
    if (!key) continue;
    const auto index = static_cast<std::size_t>(key - keys_.data());
    scan(index);
    if (key->aliased)
      for (const auto& [from, to] : aliases_)
        if (from == index) scan(to);
  }
  return best;
}

std::uint64_t Order::signature(const std::vector<ThreadId>& names) const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < made_; ++i) {
    const Step& s = step(i);
    std::uint64_t h = combine64(names[s.thread], events_[i].ordinal);
    // Not to fail for no reason is as good as not to be able to.
    if (s.choice_made && (s.choice_kind == ChoiceKind::waiter || s.choice != 0))
      h = combine64(h, s.choice_kind == ChoiceKind::waiter
                           ? names[log_->lists[s.waiters + s.choice]] + 2u
                           : s.choice + 1u);
    std::uint64_t past = 0;  // in any order: threads have other numbers elsewhere
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (clock(i)[t]) past += combine64(names[t] + 1u, clock(i)[t]);
    sum += combine64(h, past);
  }
  return sum;
}

}  // namespace jostle::checking

// Follows a plan that names the thread of certain steps, and takes the default everywhere else.
#pragma once

#include "base/mapped.h"
#include "check/fails.h"
#include "sched/step_log.h"
#include "sched/strategy.h"

namespace jostle::checking {

// Threads by how they came about: the same thread has the same number in every execution of a
// search, whatever the order of creation.
struct Names {
  std::uint32_t count = 0;
  std::uint64_t path[kMaxThreads] = {};

  // kNoThread if there is no room.
  ThreadId of(std::uint64_t p, std::uint32_t likely) {
    if (likely < count && path[likely] == p) return static_cast<ThreadId>(likely);
    for (std::uint32_t i = 0; i < count; ++i)
      if (path[i] == p) return static_cast<ThreadId>(i);
    if (count == kMaxThreads) return kNoThread;
    path[count] = p;
    return static_cast<ThreadId>(count++);
  }
};

// A turn that was ever taken, or put on the list, at a step of an execution.
struct Turn {
  std::uint32_t step;
  ThreadId thread;  // by Names
  std::uint16_t choice;
};

// At step `step`, `thread` goes on; if the operation leaves a choice, it is `choice`.
struct Forced {
  std::uint32_t step;
  ThreadId thread;       // by Names
  std::uint16_t choice;  // 0: the first; else 1 + the waiter by Names, or 1 + the option
  friend bool operator==(const Forced&, const Forced&) = default;
};

// How an execution went.
enum class Followed : std::uint8_t {
  exactly,    // as planned
  too_early,  // time should have run out for a thread, but could not yet, or not early any more:
              // nothing like it exists; or a thread should have gone on that is held back, since it
              // sees the same again and again: that is beyond the bound
  departed,   // something could not be done as planned
};

class Guide final : public Strategy {
 public:
  Guide() : forced_(StepLog::kSteps) {}

  // `asleep`: threads that are left out from that step on, until something is done that concerns
  // what they are about to do. `fails`: what fails for no reason, besides what turns say.
  void follow(ObjectTable& objects, const StepLog& log, const Names& names, const Forced* f,
              std::size_t n, const Turn* asleep, std::size_t sleepers, const Fails& fails) {
    objects_ = &objects;
    log_ = &log;
    names_ = &names;
    fails_.copy(fails);
    forced_.clear();
    asleep_.clear();
    for (std::size_t i = 0; i < n && !forced_.full(); ++i) forced_.push(f[i]);
    for (std::size_t i = 0; i < sleepers && !asleep_.full(); ++i) asleep_.push(asleep[i]);
  }
  void begin(const Plan& plan, const Profile& profile) override {
    Strategy::begin(plan, profile);
    next_ = 0;
    followed_ = Followed::exactly;
    next_asleep_ = looked_at_ = 0;
    sleeping_.clear();
  }
  ThreadId pick(const View& view) override {
    const Forced* f = due();
    if (!asleep_.empty()) update(view);
    if (!f) return sleeping_.empty() ? standard_choice(view) : awake(view);
    const ThreadId t = find(view, f->thread);
    if (t != kNoThread && view.enabled().has(t)) return t;
    const Wait wait = t != kNoThread ? view.threads[t].wait : Wait::none;
    // It would only look once more at what it has seen: that comes to the same as not looking.
    if (wait != Wait::parked && followed_ == Followed::exactly)
      followed_ =
          wait == Wait::timed || wait == Wait::left_out ? Followed::too_early : Followed::departed;
    if (wait == Wait::parked || followed_ == Followed::too_early) next_ = forced_.size();
    return sleeping_.empty() ? standard_choice(view) : awake(view);
  }
  std::uint32_t choose(ChoiceKind kind, std::uint32_t n, const View& view) override {
    if (kind == ChoiceKind::weak_cas && fails_.count > 0 &&
        fails_next(log_->steps[log_->step_count].thread))
      return 1;
    const Forced* f = due();
    if (!f || f->choice == 0) return 0;
    if (kind == ChoiceKind::waiter && view.waiters) {
      const ThreadId wanted = find(view, static_cast<ThreadId>(f->choice - 1));
      for (std::uint32_t i = 0; i < n; ++i)
        if (view.waiters[i] == wanted) return i;
    } else if (f->choice - 1u < n) {
      return f->choice - 1u;
    }
    followed_ = Followed::departed;
    return 0;
  }
  Followed followed() const { return followed_; }

 private:
  const Forced* due() {
    const std::uint32_t step = log_->step_count;
    while (next_ < forced_.size() && forced_[next_].step < step) ++next_;
    return next_ < forced_.size() && forced_[next_].step == step ? &forced_[next_] : nullptr;
  }
  ThreadId find(const View& view, ThreadId name) const {
    const std::uint64_t path = names_->path[name];
    if (name < view.count && view.threads[name].path == path) return name;
    for (std::uint32_t i = 0; i < view.count; ++i)
      if (view.threads[i].path == path) return static_cast<ThreadId>(i);
    return kNoThread;
  }

  // The thread's next weak compare-exchange that could succeed is to fail.
  bool fails_next(ThreadId t) const;

  struct Sleeper {
    static constexpr std::uint32_t kTouches = 18;
    static_assert(kTouches >= Thread::kReads);
    ThreadId thread;
    std::uint32_t touches;
    Access touch[kTouches];

    void become(const Sleeper& o) {
      thread = o.thread;
      touches = o.touches;
      for (std::uint32_t i = 0; i < touches; ++i) touch[i] = o.touch[i];
    }
  };
  // Wakes whom the steps since the last decision concern, and puts to sleep who is due.
  void update(const View& view);
  // The default, among those who are awake. If only threads that sleep can go on, another execution
  // does the same: absorb() sees that by who went on.
  ThreadId awake(const View& view);

  ObjectTable* objects_ = nullptr;
  const StepLog* log_ = nullptr;
  const Names* names_ = nullptr;
  Fails fails_;
  MappedVector<Forced> forced_;
  MappedVector<Turn> asleep_{std::size_t{kMaxThreads} * 16};
  MappedVector<Sleeper> sleeping_{kMaxThreads};
  std::size_t next_asleep_ = 0;
  std::uint32_t looked_at_ = 0;  // steps
  std::size_t next_ = 0;
  Followed followed_ = Followed::exactly;
};

}  // namespace jostle::checking

// Maple's active scheduler (Yu, Narayanasamy, Pereira, Pokam, OOPSLA 2012, section 4): makes one
// predicted iRoot happen. Strict priorities; a thread that reaches a place of the iRoot is held
// there until nobody else can go on; once the first access of a dependency has been made, whoever
// would come between is held as well (watch mode). A compound iRoot is exposed one half after the
// other; of idiom 5, both threads are first brought to A and C.
//
// Deviations: the thread that made the first access is held back, but comes before those that would
// come between, unless it is one of them: it may have to create the thread that completes the
// dependency. After two attempts priorities are random. All threads at places of the iRoot are held
// at the same time, and if one of them has to go, any of those does (the paper chooses when the
// second arrives). Threads wait in the model, so who is blocked is known and no priorities of the
// operating system are needed.
//
// Where it would have to let a thread go that it holds, and another waits for the world outside,
// that is given a moment first (section 4.6): what comes may enable the thread that completes the
// iRoot.
//
// Has to know every access to shared memory before it happens: the plan must promote those places.
#pragma once

#include "sched/access_log.h"
#include "sched/strategy.h"

namespace jostle {

struct ActiveTarget {
  std::uint8_t idiom = 1;  // 1 to 6
  SiteKey at[4] = {};      // A to D
  // Who goes first of those that are free to: complementary schedules, or, where neither got there,
  // priorities drawn at random.
  enum class Order : std::uint8_t {
    first_created,
    last_created,
    random
  } order = Order::first_created;
  std::uint32_t window = 50;
};

class Active : public Strategy {
 public:
  void aim(const ActiveTarget& target) { target_ = target; }
  // As far as it can tell: the observer knows.
  bool exposed() const { return stage_ == kDone; }

  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  void created(ThreadId t, ThreadId) override { priority_[t] = rng_.next(); }
  bool awaits_outside(const View& view) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

 private:
  // A dependency that is to come true. Threads: kNoThread means any.
  struct Half {
    SiteKey from = 0, to = 0;
    ThreadId from_thread = kNoThread, to_thread = kNoThread;
  };
  enum Stage : std::uint8_t { kFirst, kSecond, kDone };

  void start_over();
  void first_exposed(ThreadId from, ThreadId to, Address object);
  bool reaches(const View& view, ThreadId t, SiteKey site, ThreadId wanted, Intent& out) const;
  int rank(const View& view, ThreadId t) const;
  ThreadId decisive(const View& view) const;
  ThreadId decisive_of_five(const View& view) const;
  void performed_in_five(ThreadId t, const Intent& i);

  ActiveTarget target_;
  Stage stage_ = kFirst;
  Half half_;
  bool armed_ = false;  // half_.from was executed, and nobody has touched the object since
  ThreadId armed_by_ = kNoThread;
  Address armed_object_ = 0;
  // Of the first half, once exposed: T1 must not touch its object before the second is.
  ThreadId t1_ = kNoThread, t2_ = kNoThread;
  Address first_object_ = 0, second_object_ = 0;
  bool seen_b_ = false, seen_d_ = false;  // idiom 5
  std::uint64_t priority_[kMaxThreads] = {};
  std::uint32_t since_ = 0;  // operations of T1 since then
};

}  // namespace jostle

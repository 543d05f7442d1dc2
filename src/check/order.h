// The partial order of an execution's steps: which of them had to come in the order in which they
// came, and which pairs could have come the other way round.
#pragma once

#include <vector>

#include "check/fails.h"
#include "sched/step_log.h"

namespace jostle::checking {

// Two steps that depend on each other, by different threads, with nothing in between that keeps
// them in order, the second of which could have been made before the first.
struct Race {
  std::uint32_t first, second;
};

class Order {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  // Races only from that step on; only the first `steps` of them, if it made more: the thread of
  // the next should not have gone on there, and nobody else could. Where it begins like the one
  // that was read last, what is known of those steps is kept.
  void read(const StepLog& log, std::uint32_t races_from = 0, std::uint32_t steps = kNone);
  // What was to fail for no reason, with threads of the execution.
  void set_fails(const Fails& fails) { fails_.copy(fails); }

  // Steps that were made, then those that threads were waiting to make when all was over.
  std::uint32_t steps() const { return made_; }
  std::uint32_t all() const { return all_; }
  // How many steps are those of the execution that was read before.
  std::uint32_t kept() const { return kept_; }
  const Step& step(std::uint32_t i) const {
    return i < made_ ? log_->steps[i] : *wished_[i - made_];
  }
  const Access* accesses(std::uint32_t i) const { return log_->accesses + step(i).access; }
  ThreadId thread(std::uint32_t i) const { return events_[i].thread; }
  std::uint32_t threads() const { return threads_; }

  // Step i had to come before step j (or is it).
  bool before(std::uint32_t i, std::uint32_t j) const {
    return clock(j)[events_[i].thread] >= events_[i].ordinal;
  }
  // The first step of thread t that is not before step i; kNone if there is none.
  std::uint32_t next_of(ThreadId t, std::uint32_t i) const;
  // The n-th step of thread t, counted from 1.
  std::uint32_t nth_of(ThreadId t, std::uint32_t n) const { return of_thread_[t][n - 1]; }
  std::uint32_t ordinal(std::uint32_t i) const { return events_[i].ordinal; }
  const std::uint32_t* clock(std::uint32_t i) const { return &clocks_[std::size_t{i} * stride_]; }

  // The same for all executions that are equivalent; `names` of their threads.
  std::uint64_t signature(const std::vector<ThreadId>& names) const;
  // In the order of their second steps.
  const std::vector<Race>& races() const { return races_; }

  // The touches of step i, had it been made just before step k; k <= i, and its thread could go on
  // there.
  static constexpr std::uint32_t kMostTouches = 16;
  std::uint32_t touches_at(std::uint32_t i, std::uint32_t k, Access (&out)[kMostTouches]) const;
  // The first step in [from, end) that depends on one of the touches and need not come after step
  // `free_of` (kNone: whatever it comes after). kNone if there is none.
  std::uint32_t first_dependent(const Access* touches, std::uint32_t n, std::uint32_t from,
                                std::uint32_t end, std::uint32_t free_of) const;
  // The same, had whatever step i has to come after been done as well.
  std::uint32_t touches_after(std::uint32_t i, std::uint32_t k, Access (&out)[kMostTouches]) const;
  // The last step before i, by another thread, that has let go what i takes, or ended what it waits
  // for; its own thread came to wait later. kNone if there is none.
  std::uint32_t lets_go_on(std::uint32_t i) const;
  // Thread t could have gone on instead of step k.
  bool could_go(std::uint32_t k, ThreadId t) const;

 private:
  struct EventInfo {
    ThreadId thread;
    std::uint32_t ordinal;
  };
  // How many there were before a step.
  struct Mark {
    std::uint32_t entries, keys, aliases;
  };
  struct Key {
    Address object;
    std::uint32_t size;
    TouchClass cls;
    bool aliased;
    std::uint32_t next_in_cell;  // memory: 1 + another key in the same eight bytes
    std::uint32_t last;          // history: index of the last entry + 1
    std::uint32_t strong;        // the last of them that everything depends on
    std::uint32_t state;         // locks: holders; reader-writer locks: writers << 16 | readers
  };
  static bool is_wide(const Key& k) { return (k.object & 7) + k.size > 8; }
  // One access, linked to the one before it on the same object.
  struct Entry {
    std::uint32_t step, previous, key;
    std::uint32_t strong;  // the nearest before it that everything depends on: see order.cc
    Touch touch;
    std::uint32_t state;  // of the object, before
    std::uint64_t value;
  };

  void wish();
  std::uint32_t same_steps(std::uint32_t limit) const;
  void forget_from(std::uint32_t step);
  void forget_key();
  void remember_from(std::uint32_t step);
  std::uint32_t key_of(const Access& a);
  const Key* find_key(const Access& a) const;
  void find_aliases(std::uint32_t key);
  void enter(std::uint32_t i);
  void learn(std::uint32_t* clock, const Key& key, Touch touch) const;
  void find_races(std::uint32_t i, const Step& s, const std::uint32_t* past);
  void find_races_on(std::uint32_t i, const Step& s, const Access& a, std::uint32_t key,
                     const std::uint32_t* past);
  std::uint32_t touches_without(std::uint32_t i, std::uint32_t k, bool all_since,
                                Access (&out)[kMostTouches]) const;
  bool is_to_fail(std::uint32_t i) const;
  bool runs_out(std::uint32_t i, std::uint32_t k) const;
  void find_races_with_time(std::uint32_t i);
  bool woken(std::uint32_t i) const;
  std::uint32_t leaving(std::uint32_t i, Access* out) const;
  bool reversible(const Entry& e, std::uint32_t j, const Step& s, const Access& a) const;
  bool time_may_run_out(std::uint32_t k, std::uint32_t j) const;
  // Clocks, four of their elements at a time and without branches: this is what most of the time
  // goes into.
  typedef std::int32_t Four __attribute__((vector_size(16), aligned(4), may_alias));
  static void join(std::uint32_t* into, const std::uint32_t* from, std::uint32_t stride) {
    for (std::uint32_t t = 0; t < stride; t += 4) {
      Four& a = *reinterpret_cast<Four*>(into + t);
      const Four b = *reinterpret_cast<const Four*>(from + t);
      const Four greater = a > b;
      a = (a & greater) | (b & ~greater);
    }
  }

  static void copy(std::uint32_t* to, const std::uint32_t* from, std::uint32_t stride) {
    for (std::uint32_t t = 0; t < stride; t += 4)
      *reinterpret_cast<Four*>(to + t) = *reinterpret_cast<const Four*>(from + t);
  }
  // Sees to it that there are so many; what is there beyond what counts is rubbish.
  template <class T>
  static void room(std::vector<T>& v, std::size_t n) {
    if (v.size() < n) v.resize(n + n / 2);
  }

  const StepLog* log_ = nullptr;
  Fails fails_;
  std::uint32_t made_ = 0, threads_ = 0, all_ = 0, kept_ = 0;
  std::uint32_t races_from_ = 0;
  std::uint32_t stride_ = 0;         // of clocks: threads_, rounded up
  std::vector<const Step*> wished_;  // by threads that were waiting in the end
  // By step: `all_` of them.
  std::vector<EventInfo> events_;
  std::vector<Mark> marks_;
  std::vector<std::uint32_t> clocks_;
  std::vector<std::vector<std::uint32_t>> of_thread_;
  std::vector<Key> keys_;
  std::uint32_t entry_count_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::vector<std::uint32_t>> of_key_;  // entries, by key
  std::vector<std::uint32_t> entry_of_;             // by index of access: 1 + its entry
  std::vector<std::pair<std::uint32_t, std::uint32_t>> aliases_;
  std::vector<std::uint32_t> step_keys_;   // of the accesses of one step
  std::vector<std::uint32_t> candidates_;  // of races, for one step
  std::vector<Race> races_;
  // Open addressing: 1 + a key; 0: none. Keys leave in the reverse of the order in which they came.
  std::vector<std::uint32_t> slots_, cells_;
  std::uint32_t wide_ = 0;  // keys in more than one cell
  // What was read last: the log itself may have been written again since.
  std::vector<Step> read_steps_;
  std::vector<Access> read_accesses_;
};

}  // namespace jostle::checking

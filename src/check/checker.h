// A best-first search of all schedules.
//
//   while (checker.next(plan)) { execute plan; checker.absorb(plan.node, log); }
//
// Knows nothing of processes and programs: it takes what executions did, and says which to make
// next. Several may be under way at a time; they may be taken in in any order.
#pragma once

#include <string>
#include <unordered_set>

#include "check/estimate.h"
#include "check/fails.h"
#include "check/fringe.h"
#include "check/lasting.h"
#include "check/order.h"
#include "check/search.h"
#include "check/spill.h"
#include "check/tree.h"

namespace jostle::checking {

struct Planned {
  NodeId node = kNoNode;
  std::vector<Forced> turns;
  Fails fails;
  // Threads that must not go on, from a step on, before something happens that concerns them.
  std::vector<Turn> asleep;
};

struct Counts {
  std::uint64_t executed = 0;     // complete, each of another class
  std::uint64_t classes = 0;      // of complete executions, where some may be alike
  std::uint64_t blocked = 0;      // cut, or found to be like another
  std::uint64_t left_out = 0;     // went beyond a bound
  std::uint64_t departed = 0;     // did not go as planned
  std::uint64_t repeated = 0;     // like another, since what was to fail could not succeed
  std::uint32_t deepest = 0;      // steps
  std::uint32_t preemptions = 0;  // most in one execution
  bool truncated = false;
  std::string beyond;      // something that the dependency table does not know
  bool held_back = false;  // others went first: see Bounds::kLooks
  // Time ran out, or could, for threads; for several in one execution, or for one where it also
  // passed for sleepers.
  bool limit = false, limits = false;
};

class Checker {
 public:
  explicit Checker(Search search)
      : search_(std::move(search)),
        wanted_(search_.reduction),
        tree_(false),
        fringe_(std::max<std::size_t>(search_.orders.size(), 1)) {
    start();
  }

  // Forgets everything.
  void start() { start(wanted_); }
  // The same, but nothing is left out: every schedule is executed.
  void start_unreduced() { start(Reduction::none); }
  bool unreduced() const { return search_.reduction == Reduction::none; }
  // That nothing failed says what it should, or it is to be said without reduction. Of several
  // threads that wait with limits only so many are early, and the others come in the order of their
  // limits, which no table of what operations do to objects knows of. Where only one thread has
  // limits, and none sleeps, that makes no difference; but for a bound on preemptions.
  bool is_exact() const {
    return unreduced() ||
           !(search_.reduction == Reduction::optimal ? counts_.limits : counts_.limit);
  }
  bool next(Planned& out);
  // Some executions cannot be made: what was put away cannot be read again.
  bool lost() const { return lost_; }
  // The execution of `node` was not made after all.
  void give_back(NodeId node);
  // The execution of `node` was made. `left_out`: it went beyond a bound, and was not completed.
  // `held_back`: there would be others beyond a bound.
  void absorb(NodeId node, const StepLog& log, Followed followed, bool left_out = false,
              bool held_back = false);

  // Between executions: everything that next() and absorb() depend on. load() goes on where save()
  // stopped; if it cannot read it, from the start.
  void save(Writer& w);
  bool load(Reader& r);

  // Leaves that are not needed soon may be put into a file in this folder.
  void spill_into(std::string folder) { spill_.set_folder(std::move(folder)); }
  // Sees to it that it takes no more memory than that; false if it cannot be done.
  bool shrink_to(std::uint64_t bytes);

  Names& names() { return names_; }
  const Counts& counts() const { return counts_; }
  // What priorities were to look for in vain.
  std::vector<std::string> unmet() const;
  const Tree& tree() const { return tree_; }
  std::uint64_t fringe() const { return fringe_.size() + spill_.size(); }
  const Spill& spill() const { return spill_; }
  // How many executions it may be in the end: more a hint than a promise.
  const Estimate& estimate() const { return estimate_; }

 private:
  // A turn that is not to be taken before something that depends on it was done.
  struct Sleeper {
    ThreadId thread;  // in this execution
    std::uint16_t choice;
    std::uint32_t from, until;  // asleep at steps in (from, until]
    std::uint32_t own;          // its next step after `from`
  };

  void start(Reduction reduction);
  void expand_all();
  void expand_races();
  void expand_choices(std::uint32_t step);
  void expand_fails();
  void read_fails();
  std::uint16_t root_number_of(const std::vector<Trail::Level>& path) const;
  bool is_listed(NodeId parent, std::uint32_t step, ThreadId thread, std::uint16_t choice) const;
  void expand_points();
  bool asleep_at(ThreadId thread, std::uint32_t step) const;
  void add_point(std::uint32_t step, ThreadId thread, bool conservative);
  void add_turn(std::uint32_t step, ThreadId thread, std::uint16_t choice, bool conservative);

  // Of the search that the node belongs to.
  const Fails& fails() const { return all_fails_[root_number_]; }
  void name_choice(const Trail::Level& level);
  void fetch();
  bool sleeps() const {
    return search_.reduction != Reduction::none && search_.reduction != Reduction::bpor;
  }
  Sleeper make_sleeper(ThreadId t, std::uint16_t choice, std::uint32_t from);
  void put_to_sleep_before(const Node& n);
  void find_sleepers();
  NodeId owner(std::uint32_t step) const;
  std::uint16_t choice_of(const Step& s) const;
  std::uint16_t encode_choice(const Step& s, std::uint32_t option) const;
  // Reverses a race: what need not come after step `first`, then `second`. With `option`, `second`
  // is step `first` itself with another choice.
  void insert(std::uint32_t first, std::uint32_t second, std::uint32_t option);
  // What a turn costs that departs from this execution.
  struct Priced {
    Costs costs;
    bool preempts;
  };
  // A sequence that is about to be put on the list: what need not come after step `first` and is
  // needed, then `second`. With `another`, `second` is step `first` itself with that choice.
  struct Branching {
    std::uint32_t first, second;
    std::uint16_t choice;  // of `second`
    bool another;
    std::uint32_t end;  // of the steps that may be needed
  };
  void require_clock(Branching& b);
  bool covers(ThreadId thread, std::uint16_t choice, const Branching& b);
  void write_sequence(const Branching& b, bool all);
  void add_points_before_waits(std::uint32_t i);
  void write(ThreadId thread, std::uint16_t choice, const Access* accesses, std::uint32_t n);
  enum class Agrees : std::uint8_t { no, yes, not_known_yet };
  Agrees agrees(NodeId node, std::uint32_t k, Wanted& wanted);
  void put_below(NodeId node, std::uint32_t k, const Sequence& sequence, const Priced& price);
  void put_among(NodeId parent, std::uint32_t step, const Sequence& sequence, const Priced& price);
  void put_deferred_below(NodeId node);
  NodeId bring_back(NodeId parent, std::size_t turn);
  void require(std::uint32_t step);
  Priced price(std::uint32_t step, ThreadId thread, bool conservative, bool by_race);
  // A new leaf.
  void push(NodeId parent, std::uint32_t step, ThreadId thread, std::uint16_t choice,
            bool conservative, bool by_race);

  Search search_;
  const Reduction wanted_;
  Names names_;
  Tree tree_;
  Fringe fringe_;
  Spill spill_;
  bool lost_ = false;  // leaves that could not be read again
  Counts counts_;
  std::uint32_t number_ = 0;
  Estimate estimate_;
  std::uint64_t absorbed_ = 0;
  std::unordered_set<std::uint64_t> classes_;
  // To be put below a node, from the k-th of what it planned on, once its execution was made.
  struct Deferred {
    NodeId node;
    std::uint32_t k;
    Sequence sequence;
    Priced price;
  };
  std::vector<Deferred> deferred_;
  // What fails for no reason, by number of the root; first nothing.
  std::vector<Fails> all_fails_;

  // Of the execution that is being taken in.
  const StepLog* log_ = nullptr;
  Order order_;
  NodeId node_ = kNoNode;
  std::vector<Trail::Level> path_;  // to node_
  std::uint16_t root_number_ = 0;
  std::uint32_t failures_ = 0;              // for no reason
  std::vector<ThreadId> name_;              // by thread of the execution
  std::vector<ThreadId> thread_;            // by name; kNoThread: not there
  std::vector<Sleeper> sleepers_;           // in the order of `from`
  std::vector<std::uint32_t> need_;         // by thread: how many of its steps
  std::vector<std::uint32_t> preemptions_;  // before each step
  Sequence sequence_;                       // that is about to be put on the list
  Lasting lasting_;
  std::vector<Forced> departures_;
  std::vector<std::uint16_t> choices_;  // made as planned
};

}  // namespace jostle::checking

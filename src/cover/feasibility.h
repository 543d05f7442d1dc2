// Could an interleaving happen, if every thread did what it did in a recorded execution? And in
// which order of the operations?
//
// Closure. The operations that an item needs are those before its own in their threads, and what
// these need: threads are created before they run, and have ended before they are joined. What must
// come before what is closed under that, under the dependencies of the item (nothing comes
// between), and under mutual exclusion (of two critical sections of a lock, one ends before the
// other begins). If that leaves no order for any instance of the item, it is infeasible, as this
// execution went. What threads read is not held against an item: a read may see another value than
// it did. So an item that is called infeasible can only happen if some thread takes another path.
//
// Saturation, for a schedule that exposes the item. Every read that its thread goes on after sees
// the write that it saw (other writes come before that or after the read), and whoever waited is
// woken by whom it was: then each thread does the same again, so that such a schedule can be relied
// on. Where no order is left with that, what was read is left open again: such a schedule may work,
// or lead elsewhere.
//
// Where neither alternative of a choice follows, that of the recorded execution is taken; if this
// comes to a contradiction, Z3 is asked for all choices together.
#pragma once

#include <string>
#include <unordered_map>

#include "cover/execution.h"
#include "cover/item.h"
#include "cover/solver.h"

namespace jostle::covering {

// A schedule: which thread gets to which place next. Places are accesses to what is shared.
inline constexpr SiteKey kCreates = 0;  // where it creates a thread
struct Turn {
  ThreadId thread = 0;
  SiteKey site = 0;
  Address object = 0;  // the same place may also touch what is its thread's own
};

class Feasibility {
 public:
  explicit Feasibility(const Execution& e);

  enum class Answer : std::uint8_t {
    possible,    // nothing was found that keeps it from happening
    infeasible,  // no instance can happen
    unknown,     // too many or too long instances, or none
  };
  // The closure. `reason`, if infeasible: a sentence about the last instance.
  Answer judge(const Item& item, std::uint32_t window, std::string& reason) const;

  enum class Reads : std::uint8_t { same, any };
  struct Witness {
    std::vector<Turn> turns;  // empty: there is none, or none was found
    bool by_solver = false;   // it was found by Z3, or is infeasible because of it
    bool infeasible = false;  // only with Reads::any
  };
  Witness witness(const Item& item, std::uint32_t window, Reads reads) const;

 private:
  friend class OrderProblem;
  struct Node {
    ThreadId thread = 0;
    std::uint32_t position = 0;  // in its thread
    Did did = Did::read;
    bool reads = false;
    Address object = 0;        // or the other thread, of fork and join
    std::uint32_t access = 0;  // in the execution; only of memory and locks
    // Reads: the write that was seen. Waits of all kinds: who ended it.
    std::uint32_t source = 0;
  };
  // The second directly after the first, on their object.
  struct Dependency {
    std::uint32_t from, to;
  };
  static constexpr std::size_t kMostNodes = 2000, kMostInstances = 64, kMostWitnesses = 8;

  template <class F>
  bool each_dependency(SiteKey from, SiteKey to, F f) const;
  template <class F>
  bool each_instance(const Item& item, std::uint32_t window, F f) const;
  bool clean(std::uint32_t from, std::uint32_t to) const;
  bool within(std::uint32_t from, std::uint32_t to, std::uint32_t window) const;
  void find_sources();

  const Execution& e_;
  std::vector<Node> nodes_;  // in the order of the execution
  std::vector<std::vector<std::uint32_t>> by_thread_;
  std::vector<std::uint32_t> created_by_;  // node, by thread; kNone: none
  std::unordered_map<SiteKey, std::vector<std::uint32_t>> by_site_;
};

}  // namespace jostle::covering

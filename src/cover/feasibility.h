// Could an interleaving happen, if every thread did what it did in a recorded execution? The
// operations that it needs are those before its own in their threads, and what these need: threads
// are created before they run, and have ended before they are joined. What must come before what is
// closed under that, under the dependencies of the interleaving (nothing comes between), and under
// mutual exclusion (of two critical sections of a lock, one ends before the other begins). If that
// leaves no order for any instance of the item, it is infeasible, as this execution went.
//
// What threads read is not held against an item: a read may see another value than it did. So an
// item that is called infeasible can only happen if some thread takes another path.
#pragma once

#include <string>
#include <unordered_map>

#include "cover/execution.h"
#include "cover/item.h"

namespace jostle::covering {

class Feasibility {
 public:
  explicit Feasibility(const Execution& e);

  enum class Answer : std::uint8_t {
    possible,    // nothing was found that keeps it from happening
    infeasible,  // no instance can happen
    unknown,     // too many or too long instances, or none
  };
  // `reason`, if infeasible: a sentence about the last instance.
  Answer judge(const Item& item, std::uint32_t window, std::string& reason);

 private:
  struct Node {
    ThreadId thread = 0;
    std::uint32_t position = 0;  // in its thread
    Did did = Did::read;
    Address object = 0;        // or the other thread, of fork and join
    std::uint32_t access = 0;  // in the execution; only of memory and locks
  };
  // The second directly after the first, on their object.
  struct Dependency {
    std::uint32_t from, to;
  };
  static constexpr std::size_t kMostNodes = 400, kMostInstances = 64;

  template <class F>
  bool each_dependency(SiteKey from, SiteKey to, F f) const;
  template <class F>
  bool each_instance(const Item& item, std::uint32_t window, F f) const;
  bool clean(std::uint32_t from, std::uint32_t to) const;
  bool within(std::uint32_t from, std::uint32_t to, std::uint32_t window) const;
  Answer judge(const Dependency* d, std::size_t count, bool pair, std::string& reason);

  const Execution& e_;
  std::vector<Node> nodes_;  // in the order of the execution
  std::vector<std::vector<std::uint32_t>> by_thread_;
  std::vector<std::uint32_t> created_by_;  // node, by thread; kNone: none
  std::unordered_map<SiteKey, std::vector<std::uint32_t>> by_site_;
};

}  // namespace jostle::covering

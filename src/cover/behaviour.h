// What each thread does next, given what it has read so far: all executions that were made, merged.
// A thread that reads the same values does the same again; so where a read sees a value that some
// execution saw there, what follows is known.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cover/execution.h"

namespace jostle::covering {

class Behaviour {
 public:
  static constexpr std::uint32_t kEnd = 0;  // no operation

  // One operation of a thread, after all that it read before.
  struct Node {
    SiteKey site = 0;
    std::uint32_t object = 0;  // number; fork, join: the thread
    Did did = Did::read;
    bool reads = false;   // what follows depends on what is there; a signal: to all
    bool counts = false;  // memory or a lock that several threads touch
    struct Way {
      std::uint64_t read = 0;     // if it reads: this
      std::uint64_t written = 0;  // if it writes: this
      bool written_known = false;
      std::uint32_t next = kEnd;
    };
    std::vector<Way> ways;
  };

  // `shared`: objects that several threads touch. When there are more, start again.
  void add(const std::vector<AccessRecord>& records, const std::unordered_set<Address>& shared);

  std::size_t threads() const { return first_.size(); }
  std::size_t objects() const { return numbers_.size(); }
  std::uint32_t first_of(ThreadId t) const { return first_[t]; }
  const Node& node(std::uint32_t n) const { return nodes_[n]; }
  bool initial(std::uint32_t object, std::uint64_t& value) const {
    value = initial_[object];
    return initial_known_[object];
  }
  // How often what a thread does after reading at a place did not depend on the value.
  double trust(SiteKey site) const {
    const auto it = trust_.find(site);
    return it == trust_.end() ? kFirst : (it->second.same + 2 * kFirst) / (it->second.all + 2);
  }
  // Looks at all that is known, if that is notably more than the last time.
  void learn_trust();
  std::uint32_t semaphore(std::uint32_t object) const { return at_first_[object]; }
  std::uint32_t barrier(std::uint32_t object) const { return arrivals_[object]; }

 private:
  static constexpr double kFirst = 0.7;
  struct Trust {
    double same = 0, all = 0;
  };
  std::uint32_t number(Address a);

  std::vector<Node> nodes_ = {Node()};
  std::vector<std::uint32_t> first_;  // by thread
  std::unordered_map<Address, std::uint32_t> numbers_;
  std::unordered_map<SiteKey, Trust> trust_;
  std::size_t trusted_ = 0;  // nodes that it was learned from
  // By object.
  std::vector<std::uint64_t> initial_;
  std::vector<bool> initial_known_;
  std::vector<std::uint32_t> at_first_;  // what a semaphore must have had
  std::vector<std::uint32_t> arrivals_;  // that open a barrier
};

}  // namespace jostle::covering

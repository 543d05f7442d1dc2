// The built-in priority functions, one file each.
#pragma once

#include "check/priority.h"

namespace jostle::checking {

using Arguments = std::vector<std::string>;
std::unique_ptr<Priority> make_pb(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_mdpor(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_dpor(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_ss(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_rand(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_method(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_var(const Arguments&, std::uint64_t seed, const Code&);
std::unique_ptr<Priority> make_recent(const Arguments&, std::uint64_t seed, const Code&);

// The operation with which `thread` would go on at the departure; null if it never did.
inline const Step* next_step(const Departure& d) {
  const std::uint32_t i = d.order.next_of(d.thread, d.step);
  return i == Order::kNone ? nullptr : &d.order.step(i);
}

// Names that are looked for in what is met.
class Named {
 public:
  explicit Named(Arguments names) : names_(std::move(names)), met_(names_.size()) {}
  const Arguments& all() const { return names_; }
  bool in(const std::string& text) {
    bool any = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (text.empty() || text.find(names_[i]) == text.npos) continue;
      met_[i] = any = true;
    }
    return any;
  }
  std::string unmet(const std::string& what) const {
    std::string list;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!met_[i]) list += (list.empty() ? "no " + what + " '" : ", '") + names_[i] + "'";
    return list.empty() ? "" : list + " was met where the order of operations mattered";
  }

 private:
  Arguments names_;
  std::vector<bool> met_;
};

// High, medium, low: both the step that is put off and the one that goes first are in the set, one
// of them is, none is.
inline std::uint16_t by_membership(bool first, bool second) {
  return static_cast<std::uint16_t>(first && second ? 0 : first || second ? 1 : 2);
}

}  // namespace jostle::checking

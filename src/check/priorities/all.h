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

// High, medium, low: both the step that is put off and the one that goes first are in the set, one
// of them is, none is.
inline std::uint16_t by_membership(bool first, bool second) {
  return static_cast<std::uint16_t>(first && second ? 0 : first || second ? 1 : 2);
}

}  // namespace jostle::checking

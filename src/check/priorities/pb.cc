// Fewer preemptions first: the shortest explanation of a failure comes first. An order, not a
// bound.
#include <algorithm>

#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class FewPreemptions final : public Priority {
  std::uint16_t cost(const Departure& d) override {
    return static_cast<std::uint16_t>(std::min(d.preemptions, 0xffffu));
  }
};

}  // namespace

std::unique_ptr<Priority> make_pb(const Arguments&, std::uint64_t, const Code&) {
  return std::make_unique<FewPreemptions>();
}

}  // namespace jostle::checking

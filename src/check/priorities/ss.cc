// What sleep sets would leave out comes last.
#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class Awake final : public Priority {
  std::uint16_t cost(const Departure& d) override { return d.asleep ? 1 : 0; }
};

}  // namespace

std::unique_ptr<Priority> make_ss(const Arguments&, std::uint64_t, const Code&) {
  return std::make_unique<Awake>();
}

}  // namespace jostle::checking

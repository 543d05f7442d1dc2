// Defers departures that reduction adds to be sure (the thread of the conflict could not go on
// there), and those just before a release.
#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class NotConservative final : public Priority {
  std::uint16_t cost(const Departure& d) override {
    if (d.conservative) return 1;
    const Step& s = d.log.steps[d.step];
    for (std::uint32_t a = 0; a < s.accesses; ++a) switch (d.log.accesses[s.access + a].touch) {
        case Touch::release:
        case Touch::read_release:
        case Touch::write_release:
        case Touch::post:
          return 1;
        default:
          break;
      }
    return 0;
  }
};

}  // namespace

std::unique_ptr<Priority> make_mdpor(const Arguments&, std::uint64_t, const Code&) {
  return std::make_unique<NotConservative>();
}

}  // namespace jostle::checking

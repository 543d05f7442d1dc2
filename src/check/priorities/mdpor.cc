// Defers departures that reduction adds to be sure (the thread of the conflict could not go on
// there), and those just before a release.
#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

bool releases(Touch t) {
  switch (t) {
    case Touch::release:
    case Touch::read_release:
    case Touch::write_release:
    case Touch::post:
      return true;
    default:
      return false;
  }
}

class NotConservative final : public Priority {
  // Waiting on a condition gives back its mutex, but is no mere release: a signal just before it is
  // lost.
  std::uint16_t cost(const Departure& d) override {
    if (d.conservative) return 1;
    const Step& s = d.log.steps[d.step];
    for (std::uint32_t a = 0; a < s.accesses; ++a)
      if (!releases(d.log.accesses[s.access + a].touch)) return 0;
    return s.accesses > 0 ? 1 : 0;
  }
};

}  // namespace

std::unique_ptr<Priority> make_mdpor(const Arguments&, std::uint64_t, const Code&) {
  return std::make_unique<NotConservative>();
}

}  // namespace jostle::checking

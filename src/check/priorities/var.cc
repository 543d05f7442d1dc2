// The variables that the user names, first.
#include <algorithm>

#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class Variables final : public Priority {
 public:
  Variables(Arguments names, Code code) : names_(std::move(names)), code_(std::move(code)) {}
  std::uint16_t cost(const Departure& d) override {
    const Step* next = next_step(d);
    return by_membership(named(d, d.log.steps[d.step]), next && named(d, *next));
  }

 private:
  bool named(const Departure& d, const Step& s) {
    for (std::uint32_t a = 0; a < s.accesses && code_.variable; ++a) {
      const std::string v = code_.variable(d.log.accesses[s.access + a].object);
      if (std::any_of(names_.begin(), names_.end(),
                      [&](const std::string& n) { return !v.empty() && v.find(n) != v.npos; }))
        return true;
    }
    return false;
  }
  Arguments names_;
  Code code_;
};

}  // namespace

std::unique_ptr<Priority> make_var(const Arguments& names, std::uint64_t, const Code& code) {
  return std::make_unique<Variables>(names, code);
}

}  // namespace jostle::checking

// The static variables that the user names, first.
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
  std::string unmet() const override { return names_.unmet("static variable"); }

 private:
  bool named(const Departure& d, const Step& s) {
    bool any = false;
    for (std::uint32_t a = 0; a < s.accesses && code_.variable; ++a)
      any |= names_.in(code_.variable(d.log.accesses[s.access + a].object));
    return any;
  }
  Named names_;
  Code code_;
};

}  // namespace

std::unique_ptr<Priority> make_var(const Arguments& names, std::uint64_t, const Code& code) {
  return std::make_unique<Variables>(names, code);
}

}  // namespace jostle::checking

// The functions that the user names, first: both the one that is interrupted and the one that goes
// on, then one of them.
#include <unordered_map>

#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class Methods final : public Priority {
 public:
  Methods(Arguments names, Code code) : names_(std::move(names)), code_(std::move(code)) {}
  std::uint16_t cost(const Departure& d) override {
    const Step* next = next_step(d);
    return by_membership(named(d.log.steps[d.step].pc), next && named(next->pc));
  }
  std::string unmet() const override { return names_.unmet("function"); }

 private:
  bool named(std::uint64_t pc) {
    const auto [it, fresh] = known_.try_emplace(pc, false);
    if (fresh && code_.function) it->second = names_.in(code_.function(pc));
    return it->second;
  }
  Named names_;
  Code code_;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace

std::unique_ptr<Priority> make_method(const Arguments& names, std::uint64_t, const Code& code) {
  return std::make_unique<Methods>(names, code);
}

}  // namespace jostle::checking

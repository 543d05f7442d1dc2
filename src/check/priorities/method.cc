// The functions that the user names, first: both the one that is interrupted and the one that goes
// on, then one of them.
#include <algorithm>
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

 private:
  bool named(std::uint64_t pc) {
    const auto [it, fresh] = known_.try_emplace(pc, false);
    if (fresh && code_.function) {
      const std::string f = code_.function(pc);
      it->second = std::any_of(names_.begin(), names_.end(),
                               [&](const std::string& n) { return f.find(n) != f.npos; });
    }
    return it->second;
  }
  Arguments names_;
  Code code_;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace

std::unique_ptr<Priority> make_method(const Arguments& names, std::uint64_t, const Code& code) {
  return std::make_unique<Methods>(names, code);
}

}  // namespace jostle::checking

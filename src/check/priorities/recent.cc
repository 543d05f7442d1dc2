// Changed code first.
#include <unordered_map>

#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class Recent final : public Priority {
 public:
  Recent(Arguments what, Code code) : what_(std::move(what)), code_(std::move(code)) {}
  std::uint16_t cost(const Departure& d) override {
    const Step* next = next_step(d);
    return by_membership(changed(d.log.steps[d.step].pc), next && changed(next->pc));
  }
  std::string unmet() const override {
    return met_ ? ""
                : "nothing that was met is in what 'recent' names: no such file or range, or git "
                  "cannot tell";
  }

 private:
  bool changed(std::uint64_t pc) {
    const auto [it, fresh] = known_.try_emplace(pc, false);
    if (fresh && code_.recent) it->second = code_.recent(what_, pc);
    met_ |= it->second;
    return it->second;
  }
  bool met_ = false;
  Arguments what_;
  Code code_;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace

std::unique_ptr<Priority> make_recent(const Arguments& what, std::uint64_t, const Code& code) {
  return std::make_unique<Recent>(what, code);
}

}  // namespace jostle::checking

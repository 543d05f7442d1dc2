// The user's own.
#include <algorithm>
#include <jostle/priority.hpp>

#include "check/priorities/all.h"

namespace jostle {
namespace checking {
namespace {

using CostFunction = std::function<unsigned(const jostle::Departure&)>;

class Own final : public Priority {
 public:
  Own(CostFunction function, Code code) : function_(std::move(function)), code_(std::move(code)) {}
  std::uint16_t cost(const Departure& d) override {
    jostle::Departure shown([&](bool of_next) {
      const Step* s = of_next ? next_step(d) : &d.log.steps[d.step];
      return s && s->pc && code_.function ? code_.function(s->pc) : std::string();
    });
    shown.step = d.step;
    shown.interrupted = d.log.steps[d.step].thread;
    shown.next = d.thread;
    shown.preemptions = d.preemptions;
    shown.number = d.number;
    shown.conservative = d.conservative;
    return static_cast<std::uint16_t>(std::min(function_(shown), 0xffffu));
  }

 private:
  CostFunction function_;
  Code code_;
};

}  // namespace
}  // namespace checking

bool add_priority(const std::string& name, const std::string& text,
                  std::function<unsigned(const Departure&)> cost) {
  return checking::register_priority(
      {name, text,
       [cost = std::move(cost)](const checking::Arguments&, std::uint64_t,
                                const checking::Code& code) {
         return std::make_unique<checking::Own>(cost, code);
       }});
}

}  // namespace jostle

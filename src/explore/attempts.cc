#include "explore/attempts.h"

#include <cstring>
#include <new>

#include "explore/measure.h"
#include "explore/rounds.h"
#include "runtime/signals.h"

namespace jostle::explore {

std::vector<Deviation> deviations_of(const StepLog& log) {
  std::vector<Deviation> out;
  const std::uint32_t n = log.step_count + (log.open ? 1 : 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Step& s = log.steps[i];
    if (s.decision && s.thread != s.standard)
      out.push_back({s.decision - 1, s.thread, ChoiceKind::thread, 0});
    if (s.choice_made && s.choice != 0)
      out.push_back({s.choice_made - 1, s.choice, s.choice_kind, 0});
  }
  return out;
}

namespace {

class Here final : public Attempts {
 public:
  explicit Here(const Session& session)
      : session_(session),
        runner_(in_process_runner(session)),  // sets the engine up
        log_(*static_cast<StepLog*>(map_pages(sizeof(StepLog), true))),
        guide_(*new(map_pages(sizeof(checking::Guide))) checking::Guide) {
    engine().scheduler().set_log(&log_);
  }
  ~Here() override {
    engine().scheduler().set_log(nullptr);
    guide_.~Guide();
    unmap_pages(&guide_, sizeof(checking::Guide));
    unmap_pages(&log_, sizeof(StepLog));
  }
  std::uint32_t room() const override { return 1; }

  void make(const std::vector<checking::Planned>& plans, const checking::Names& names,
            const Terms& terms, std::vector<Attempt>& out) override {
    Engine& e = engine();
    if (!warm_) {
      // What is set up at the first use, for all executions to come, is not part of any of them.
      warm_ = true;
      make(std::vector<checking::Planned>(1), names, terms, out);
      const bool first = plans[0].turns.empty();
      if (out.empty() || (first && out[0].outcome.failure.kind != FindingKind::none))
        return;  // it is the first as well
    }
    if (terms.promoted.size() != promoted_) {
      promoted_ = terms.promoted.size();
      e.clear_sites();
      for (const std::uint64_t pc : terms.promoted) e.set_site(pc, kPromoted);
    }
    out.resize(1);
    Attempt& a = out[0];
    Plan plan;
    plan.patience = Plan::kExact;
    plan.watches = terms.watches;
    guide_.follow(e.scheduler().objects(), log_, names, plans[0].turns.data(),
                  plans[0].turns.size(), plans[0].asleep.data(), plans[0].asleep.size(),
                  plans[0].fails);
    const Outcome& o = e.execute(plan, none_, guide_, session_.body, nullptr);
    if (JOSTLE_UNLIKELY(given_up(session_, o))) return out.clear();
    if (JOSTLE_UNLIKELY(session_.coverage != nullptr)) measure(session_);
    a.log = &log_;
    hand_on(o, a.outcome);
    a.followed = guide_.followed();
    a.races.clear();
    const bool warms_up = plans[0].node == checking::kNoNode && o.failure.kind == FindingKind::none;
    if (warms_up) return;
    if (JOSTLE_UNLIKELY(o.again)) e.races().forget_all();  // it does not count
    if (JOSTLE_UNLIKELY(!e.races().found().empty())) {
      a.races.assign(e.races().found().begin(), e.races().found().end());
      e.races().forget_found();
    }
  }
  void uncontrolled(std::vector<std::string>& out) const override {
    for (const Uncontrolled& u : engine().all_uncontrolled()) out.emplace_back(u.what);
  }

 private:
  const Session& session_;
  std::unique_ptr<Runner> runner_;
  StepLog& log_;
  checking::Guide& guide_;
  Profile none_;
  std::size_t promoted_ = 0;
  bool warm_ = false;
};

}  // namespace

std::unique_ptr<Attempts> attempts_here(const Session& session) {
  return std::make_unique<Here>(session);
}

}  // namespace jostle::explore

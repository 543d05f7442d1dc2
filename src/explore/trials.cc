#include "explore/trials.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>

#include "explore/rounds.h"
#include "explore/status.h"
#include "explore/worker_process.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"

namespace jostle::explore {

Trials::Trials() : desk_(*static_cast<TrialDesk*>(map_pages(sizeof(TrialDesk), true))) {
  desk_.promoted_count = 0;
  desk_.pairs.count = 0;
  desk_.uncontrolled_count = 0;
}

void Trials::prepare() {
  desk_.done = false;
  desk_.not_restorable[0] = 0;
  desk_.race_count = 0;
  desk_.outcome = Outcome();
  desk_.steps.begin();
  desk_.accesses.begin();
}

void Trials::execute_here(const Session& session) {
  static Active& active = *new (map_pages(sizeof(Active))) Active;
  static PairController& pairs = *new (map_pages(sizeof(PairController))) PairController;
  static Novelty& novelty = *new (map_pages(sizeof(Novelty))) Novelty;
  static Guided& guided = *new (map_pages(sizeof(Guided))) Guided;
  static const Profile none;
  Engine& e = engine();
  e.scheduler().set_log(&desk_.steps);
  e.log_accesses(&desk_.accesses);
  e.clear_sites();
  for (std::uint32_t i = 0; i < desk_.promoted_count; ++i) e.set_site(desk_.promoted[i], kPromoted);
  const Trial& t = desk_.trial;
  active.aim(t.target);
  pairs.aim(desk_.pairs);
  novelty.aim(desk_.seen, t.window);
  guided.follow(desk_.turns, novelty);
  const auto strategy = [&]() -> Strategy& {
    switch (t.how) {
      case Trial::How::novelty:
        return novelty;
      case Trial::How::guided:
        return guided;
      case Trial::How::active:
        return active;
      case Trial::How::pairs:
        return pairs;
      default:
        return strategy_for(t.plan);
    }
  };
  desk_.outcome = execute(session, t.plan, none, strategy());
  for (const Problem& r : e.races().found())
    if (desk_.race_count < TrialDesk::kRaces) desk_.races[desk_.race_count++] = r;
  e.races().forget_found();
  desk_.uncontrolled_count = 0;
  for (const Uncontrolled& u : e.all_uncontrolled())
    if (desk_.uncontrolled_count < TrialDesk::kUncontrolled)
      desk_.uncontrolled[desk_.uncontrolled_count++] = u;
  e.log_accesses(nullptr);
  e.scheduler().set_log(nullptr);
  if (const char* trouble = snapshot::trouble(); *trouble)
    std::snprintf(desk_.not_restorable, sizeof desk_.not_restorable, "%s", trouble);
  desk_.done = true;
}

namespace {

class Here final : public Trials {
 public:
  explicit Here(const Session& session) : session_(session), runner_(in_process_runner(session)) {}

  bool make() override {
    if (interrupted(session_)) return false;
    prepare();
    execute_here(session_);
    return true;
  }

 private:
  const Session& session_;
  std::unique_ptr<Runner> runner_;  // sets the engine up
};

class Elsewhere final : public Trials {
 public:
  explicit Elsewhere(Session& session)
      : session_(session),
        forks_(session.options.isolation == Options::Isolation::fork ||
               (session.whole_program() && session.kernel_threads())) {
    if (!session.kernel_threads()) engine().warm_up(4);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() override {
    if (worker_.pid > 0) worker_.end();
  }

  bool make() override {
    for (;;) {
      if (interrupted(session_)) return false;
      prepare();
      if (worker_.pid <= 0) worker_.start([&](int down, int up) { serve(down, up); });
      worker_.tell();
      Patience patience(session_);
      while (!ready(worker_.up, 100)) {
        if (session_.status) session_.status->during(0);
        if (patience.over(desk_.alive) || interrupted(session_)) kill(worker_.pid, SIGKILL);
      }
      const bool answered = worker_.answer();
      if (interrupted(session_)) {
        end();
        return false;
      }
      if (!answered) {
        const int status = end();
        desk_.outcome = Outcome();
        desk_.outcome.failure = death_of(status, patience.is_over());
        return true;
      }
      if (!forks_ && desk_.not_restorable[0]) {
        // The same plan gives the same execution, in a process of its own.
        session_.why_forked = desk_.not_restorable;
        forks_ = true;
        end();
        continue;
      }
      if (forks_) end();
      return true;
    }
  }

 private:
  int end() {
    const int status = worker_.end();
    worker_ = WorkerProcess();
    return status;
  }

  [[noreturn]] void serve(int down, int up) {
    start_engine(session_);
    show_progress_in(&desk_.alive);
    if (!forks_ && session_.options.isolation == Options::Isolation::snapshot) snapshot::take();
    char c;
    while (read(down, &c, 1) == 1) {
      execute_here(session_);
      std::fflush(nullptr);
      if (write(up, &c, 1) != 1) break;
    }
    _exit(0);
  }

  Session& session_;
  bool forks_;
  WorkerProcess worker_;
};

}  // namespace

std::unique_ptr<Trials> trials_here(const Session& session) {
  return std::make_unique<Here>(session);
}
std::unique_ptr<Trials> trials_elsewhere(Session& session) {
  return std::make_unique<Elsewhere>(session);
}

}  // namespace jostle::explore

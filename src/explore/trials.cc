#include "explore/trials.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "explore/rounds.h"
#include "explore/status.h"
#include "explore/worker_process.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"

namespace jostle::explore {

// Pages come zeroed, and that is what an empty desk is.
Trials::Trials() : desk_(*static_cast<TrialDesk*>(map_pages(sizeof(TrialDesk), true))) {}

void Trials::prepare(Trial& t) {
  t.done = false;
  t.not_restorable[0] = 0;
  t.race_count = t.uncontrolled_count = 0;
  t.outcome = Outcome();
  t.steps.begin();
  t.accesses.begin();
  t.places.begin();
  t.frequent = {};
}

void Trials::execute_here(const Session& session, Trial& t) {
  static Active& active = *new (map_pages(sizeof(Active))) Active;
  static PairController& pairs = *new (map_pages(sizeof(PairController))) PairController;
  static Novelty& novelty = *new (map_pages(sizeof(Novelty))) Novelty;
  static Guided& guided = *new (map_pages(sizeof(Guided))) Guided;
  Engine& e = engine();
  e.scheduler().set_log(&t.steps);
  // What aims at something that is known needs no look at what threads were seen to do much and
  // without others.
  const bool aims = t.how >= Trial::How::guided;
  for (std::uint32_t i = 0; desk_.selective && i < desk_.shared.count; ++i)
    t.places.add(desk_.shared.pc[i]);
  e.log_accesses(&t.accesses, desk_.selective ? &t.places : nullptr,
                 aims ? &desk_.frequent : nullptr);
  e.clear_sites();
  const TrialDesk::Places& places = t.everywhere ? desk_.shared : desk_.racing;
  for (std::uint32_t i = 0; i < places.count; ++i) e.set_site(places.pc[i], kPromoted);
  active.aim(t.target);
  pairs.aim(t.pairs);
  novelty.aim(desk_.seen, desk_.window);
  guided.follow(t.turns, novelty);
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
  const bool measures = &t == desk_.trial;
  e.scheduler().measure(measures);
  t.outcome = execute(session, t.plan, desk_.profile, strategy());
  if (measures) t.profile = e.scheduler().measured();
  e.scheduler().measure(false);
  for (const Problem& r : e.races().found())
    if (t.race_count < Trial::kRaces) t.races[t.race_count++] = r;
  e.races().forget_found();
  for (const Uncontrolled& u : e.all_uncontrolled())
    if (t.uncontrolled_count < Trial::kUncontrolled) t.uncontrolled[t.uncontrolled_count++] = u;
  if (desk_.selective && !aims) e.add_frequent(t.frequent);
  e.log_accesses(nullptr);
  e.scheduler().set_log(nullptr);
  if (const char* trouble = snapshot::trouble(); *trouble)
    std::snprintf(t.not_restorable, sizeof t.not_restorable, "%s", trouble);
  t.done = true;
}

namespace {

class Here final : public Trials {
 public:
  explicit Here(const Session& session) : session_(session), runner_(in_process_runner(session)) {}

  bool make() override {
    for (std::uint32_t i = 0; i < desk_.count; ++i) {
      if (interrupted(session_)) return false;
      prepare(desk_.trial[i]);
      execute_here(session_, desk_.trial[i]);
      if (given_up(session_, desk_.trial[i].outcome)) return false;
    }
    return true;
  }

 private:
  const Session& session_;
  std::unique_ptr<Runner> runner_;  // sets the engine up
};

class Elsewhere final : public Trials {
 public:
  Elsewhere(Session& session, std::uint32_t jobs)
      : session_(session),
        forks_(session.options.isolation == Options::Isolation::fork ||
               (session.whole_program() && session.kernel_threads())),
        workers_(jobs) {
    if (!session.kernel_threads()) engine().warm_up(4);
    for (Worker& w : workers_) w.trial = static_cast<std::uint32_t*>(map_pages(4096, true));
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() override {
    for (Worker& w : workers_) {
      w.process.end();
      unmap_pages(w.trial, 4096);
    }
  }

  // Who is quicker takes more of them.
  bool make() override {
    begin();
    while (!over()) {
      if (interrupted(session_)) break;
      for (Worker& w : workers_)
        if (!w.busy && more()) start(w);
      if (!wait()) break;
      if (forks_ || !trouble()) continue;
      // The same plans give the same executions, each in a process of its own.
      forks_ = true;
      end();
      begin();
    }
    if (over() && !interrupted(session_) && !session_.progress->given_up) return true;
    end();
    return false;
  }

 private:
  struct Worker {
    WorkerProcess process;
    std::uint32_t* trial = nullptr;  // 1 + the one that it is at; 0: none
    bool busy = false;
  };

  bool more() const { return __atomic_load_n(&desk_.taken, __ATOMIC_ACQUIRE) < desk_.count; }
  bool over() const {
    return !more() &&
           std::none_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.busy; });
  }
  void begin() {
    for (std::uint32_t i = 0; i < desk_.count; ++i) prepare(desk_.trial[i]);
    desk_.taken = 0;
  }
  void end() {
    for (Worker& w : workers_) {
      w.process.end();
      w.process = WorkerProcess();
      w.busy = false;
    }
  }
  // Could the program's state not be put back after one of them?
  bool trouble() {
    for (std::uint32_t i = 0; i < desk_.count; ++i)
      if (desk_.trial[i].not_restorable[0]) {
        session_.why_forked = desk_.trial[i].not_restorable;
        return true;
      }
    return false;
  }

  void start(Worker& w) {
    *w.trial = 0;
    w.busy = w.process.tell();
    if (w.busy) return;
    // There is none, or something has killed it since the last round.
    w.process.end();
    w.process = WorkerProcess();
    w.process.start([&](int down, int up) {
      for (const Worker& other : workers_)
        if (&other != &w && other.process.alive()) {
          close(other.process.down);
          close(other.process.up);
        }
      serve(w, down, up);
    });
    w.busy = w.process.tell();
  }

  // Until one has answered or is no more. False if there is nobody to wait for, or no time.
  bool wait() {
    Patience patience(session_);
    for (;;) {
      std::vector<pollfd> fds;
      std::vector<Worker*> who;
      for (Worker& w : workers_)
        if (w.busy) {
          fds.push_back({w.process.up, POLLIN, 0});
          who.push_back(&w);
        }
      if (fds.empty()) return false;
      const bool any = poll(fds.data(), fds.size(), 100) > 0;
      for (std::size_t i = 0; any && i < fds.size(); ++i)
        if (fds[i].revents != 0) collect(*who[i], patience.is_over());
      if (any) return true;
      if (session_.status) session_.status->during(0);
      if (no_more_waiting(session_)) return false;
      if (patience.over(desk_.alive))
        for (const Worker* w : who) w->process.kill();
    }
  }

  void collect(Worker& w, bool stuck) {
    w.busy = false;
    const bool answered = w.process.answer();
    if (answered && !forks_) return;
    const int status = w.process.end();
    w.process = WorkerProcess();
    if (answered || *w.trial == 0) return;
    Trial& t = desk_.trial[*w.trial - 1];
    t.outcome = Outcome();
    t.outcome.failure = death_of(status, stuck);
  }

  [[noreturn]] void serve(Worker& w, int down, int up) {
    start_engine(session_);
    show_progress_in(&desk_.alive);
    if (!forks_ && session_.options.isolation == Options::Isolation::snapshot) snapshot::take();
    char c;
    while (read(down, &c, 1) == 1) {
      for (std::uint32_t k;
           (k = __atomic_fetch_add(&desk_.taken, 1, __ATOMIC_ACQ_REL)) < desk_.count;) {
        *w.trial = k + 1;
        execute_here(session_, desk_.trial[k]);
        if (given_up(session_, desk_.trial[k].outcome)) break;
        if (forks_ || desk_.trial[k].not_restorable[0]) break;
        *w.trial = 0;
      }
      std::fflush(nullptr);
      if (write(up, &c, 1) != 1) break;
    }
    _exit(0);
  }

  Session& session_;
  bool forks_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Trials> trials_here(const Session& session) {
  return std::make_unique<Here>(session);
}
std::unique_ptr<Trials> trials_elsewhere(Session& session, std::uint32_t jobs) {
  return std::make_unique<Elsewhere>(session, jobs);
}

}  // namespace jostle::explore

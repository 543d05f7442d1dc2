// Planned executions in other processes: a worker for each job, which gets several plans at a time.
// With isolation=fork it makes a process for each of them.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include "explore/attempts.h"
#include "explore/keeper.h"
#include "explore/measure.h"
#include "explore/rounds.h"
#include "explore/spawn.h"
#include "explore/status.h"
#include "explore/worker_process.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"

namespace jostle::explore {
namespace {

using checking::Forced;
using checking::Names;
using checking::Planned;
using checking::Turn;

// One execution: the plan, and what became of it. In shared memory: it is all there even if the
// process is not.
struct Place {
  static constexpr std::uint32_t kAsleep = 1u << 14, kRaces = 64;
  std::uint32_t forced_count, asleep_count;
  bool done;
  checking::Followed followed;
  char not_restorable[160];
  Outcome outcome;
  std::uint32_t race_count;
  Problem races[kRaces];
  StepLog log;
  Forced forced[StepLog::kSteps];
  Turn asleep[kAsleep];
  checking::Fails fails;
};

constexpr std::uint32_t kPlaces = 16;  // of a worker

struct Desk {
  std::uint32_t count;  // places that are filled
  std::uint32_t next;   // the first of them that was not started
  std::uint32_t alive;  // grows as long as there are steps
  double busy;          // seconds that executing took
  std::uint32_t uncontrolled_count;
  Uncontrolled uncontrolled[Share::kUncontrolled];
  Place place[kPlaces];
};

struct Shared {
  Names names;
  bool watches;
  std::uint32_t promoted_count;
  std::uint64_t promoted[Assignment::kSites];
  Desk desk[];
};

class Elsewhere final : public Attempts {
 public:
  Elsewhere(const Session& session, std::string& why_forked, std::uint32_t jobs)
      : session_(session),
        why_forked_(why_forked),
        jobs_(jobs),
        forks_(session.options.isolation == Options::Isolation::fork ||
               session.options.isolation == Options::Isolation::spawn ||
               (session.whole_program() && session.kernel_threads())),
        at_(g_shared_file.used),
        shared_(static_cast<Shared*>(map_pages(bytes(), true))) {
    if (spawned()) return;
    if (!session.kernel_threads()) engine().warm_up(4);
    for (std::uint32_t i = 0; i < jobs_; ++i) start(i);
  }
  // In a process that was started for it.
  [[noreturn]] void go_on(std::uint32_t desk) {
    Desk& d = shared_->desk[desk];
    execute_alone(d, d.place[d.next], make_guide());
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() override {
    for (WorkerProcess& w : workers_) w.end();
    unmap_pages(shared_, bytes());
  }

  // Few at first: what they teach decides what is best next.
  std::uint32_t room() const override {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{jobs_} * kPlaces, jobs_ + made_ / 32));
  }

  void make(const std::vector<Planned>& plans, const Names& names, const Terms& terms,
            std::vector<Attempt>& out) override {
    const auto n = static_cast<std::uint32_t>(plans.size());
    out.resize(n);
    shared_->names = names;
    shared_->watches = terms.watches;
    shared_->promoted_count = static_cast<std::uint32_t>(terms.promoted.size());
    std::copy(terms.promoted.begin(), terms.promoted.end(), shared_->promoted);
    for (std::uint32_t j = 0; j < jobs_; ++j) shared_->desk[j].count = shared_->desk[j].next = 0;
    for (std::uint32_t i = 0, j = 0; i < n; ++i, j = j + 1 < jobs_ ? j + 1 : 0) {
      Desk& d = shared_->desk[j];
      fill(d.place[d.count++], plans[i]);
    }
    for (std::uint32_t j = 0; j < jobs_; ++j)
      if (shared_->desk[j].count > 0) workers_[j].tell();
    for (std::uint32_t j = 0; j < jobs_; ++j)
      if (shared_->desk[j].count > 0) collect(j);
    // In the order in which they were asked for; what was not made any more ends the list.
    std::uint32_t made = 0;
    for (; made < n; ++made) {
      const Place& p = shared_->desk[made % jobs_].place[made / jobs_];
      if (!p.done) break;
      take(p, out[made]);
    }
    out.resize(made);
    made_ += made;
  }

  double busy() const override {
    double sum = 0;
    for (std::uint32_t j = 0; j < jobs_; ++j) sum += shared_->desk[j].busy;
    return sum;
  }
  void uncontrolled(std::vector<std::string>& out) const override {
    for (std::uint32_t j = 0; j < jobs_; ++j)
      for (std::uint32_t i = 0; i < shared_->desk[j].uncontrolled_count; ++i) {
        const std::string what = shared_->desk[j].uncontrolled[i].what;
        if (std::find(out.begin(), out.end(), what) == out.end()) out.push_back(what);
      }
  }

 private:
  std::size_t bytes() const { return sizeof(Shared) + jobs_ * sizeof(Desk); }

  // As if nothing had been executed there.
  static void clear(Place& p) {
    p.done = p.outcome.given_up = false;
    p.followed = checking::Followed::exactly;
    p.not_restorable[0] = 0;
    p.race_count = 0;
    p.log.begin();
  }

  static void fill(Place& p, const Planned& plan) {
    clear(p);
    p.forced_count = static_cast<std::uint32_t>(
        std::min<std::size_t>(plan.turns.size(), std::size_t{StepLog::kSteps}));
    p.asleep_count = static_cast<std::uint32_t>(
        std::min<std::size_t>(plan.asleep.size(), std::size_t{Place::kAsleep}));
    std::copy_n(plan.turns.begin(), p.forced_count, p.forced);
    std::copy_n(plan.asleep.begin(), p.asleep_count, p.asleep);
    p.fails.copy(plan.fails);
  }

  static void take(const Place& p, Attempt& a) {
    a.log = &p.log;
    a.followed = p.followed;
    hand_on(p.outcome, a.outcome);
    a.races.assign(p.races, p.races + p.race_count);
  }

  void collect(std::uint32_t j) {
    Desk& d = shared_->desk[j];
    while (workers_[j].alive()) {
      Patience patience(session_);
      while (!ready(workers_[j].up, 100)) {
        if (session_.status) session_.status->during(0);
        if (patience.over(std::uint64_t{d.next} + d.alive) || no_more_waiting(session_))
          workers_[j].kill();
      }
      const bool answered = workers_[j].answer();
      if (answered && d.next < d.count && d.place[d.next].not_restorable[0]) {
        // The same plan gives the same execution, in a process of its own.
        why_forked_ = d.place[d.next].not_restorable;
        clear(d.place[d.next]);
        forks_ = true;
        workers_[j].end();
      } else if (answered) {
        return;
      } else {
        const int status = workers_[j].end();
        if (no_more_waiting(session_)) {
          start(j);
          return;
        }
        Place& p = d.place[d.next];
        if (d.next < d.count) {
          p.outcome = Outcome();
          p.outcome.failure = death_of(status, patience.is_over());
          p.done = true;
          ++d.next;
        }
      }
      start(j);
      if (d.next >= d.count) return;
      workers_[j].tell();
    }
  }

  void start(std::uint32_t j) {
    WorkerProcess w;
    w.start([&](int down, int up) {
      for (const WorkerProcess& other : workers_) {
        close(other.down);
        close(other.up);
      }
      serve(shared_->desk[j], down, up);
    });
    if (j < workers_.size())
      workers_[j] = w;
    else
      workers_.push_back(w);
  }

  static checking::Guide& make_guide() {
    return *new (map_pages(sizeof(checking::Guide))) checking::Guide;
  }

  [[noreturn]] void serve(Desk& d, int down, int up) {
    checking::Guide& guide = make_guide();
    if (!forks_) {
      start_engine(session_);
      show_progress_in(&d.alive);
      if (session_.options.isolation == Options::Isolation::snapshot) snapshot::take();
    }
    char c;
    std::uint32_t promoted = 0;
    while (read(down, &c, 1) == 1) {
      const double begin = monotonic_seconds();
      if (!forks_ && promoted != shared_->promoted_count) promote(promoted);
      while (d.next < d.count) {
        Place& p = d.place[d.next];
        if (forks_) {
          if (!in_a_process(d, p, guide)) break;
        } else {
          execute_here(p, guide);
          note(d);
        }
        if (p.not_restorable[0] || p.outcome.given_up) break;
        p.done = true;
        ++d.next;
      }
      d.busy += monotonic_seconds() - begin;
      if (write(up, &c, 1) != 1) break;
    }
    _exit(0);
  }

  void promote(std::uint32_t& promoted) const {
    promoted = shared_->promoted_count;
    engine().clear_sites();
    for (std::uint32_t i = 0; i < promoted; ++i) engine().set_site(shared_->promoted[i], kPromoted);
  }

  void execute_here(Place& p, checking::Guide& guide) const {
    Engine& e = engine();
    Plan plan;
    plan.patience = Plan::kExact;
    plan.watches = shared_->watches;
    e.scheduler().set_log(&p.log);
    guide.follow(e.scheduler().objects(), p.log, shared_->names, p.forced, p.forced_count, p.asleep,
                 p.asleep_count, p.fails);
    static const Profile none;
    const Outcome& o = execute(session_, plan, none, guide);
    hand_on(o, p.outcome);
    if (given_up(session_, o)) return;
    if (JOSTLE_UNLIKELY(session_.coverage != nullptr)) measure(session_);
    p.followed = guide.followed();
    if (o.again) e.races().forget_all();  // it does not count
    for (const Problem& r : e.races().found())
      if (p.race_count < Place::kRaces) p.races[p.race_count++] = r;
    // What is known in one process may be news in another: places are compared by whoever asked.
    e.races().forget_found();
    if (const char* trouble = snapshot::trouble(); *trouble && !forks_)
      std::snprintf(p.not_restorable, sizeof p.not_restorable, "%s", trouble);
  }

  [[noreturn]] void execute_alone(Desk& d, Place& p, checking::Guide& guide) {
    start_engine(session_);
    show_progress_in(&d.alive);
    std::uint32_t promoted = 0;
    if (shared_->promoted_count) promote(promoted);
    execute_here(p, guide);
    note(d);
    p.done = !p.outcome.given_up;
    std::fflush(nullptr);
    _exit(0);
  }

  // False if there can be none.
  bool in_a_process(Desk& d, Place& p, checking::Guide& guide) {
    const pid_t child = fork_helper();
    if (child == 0 && spawns(session_))
      start_anew(session_,
                 {Spawned::Task::place, at_, static_cast<std::uint32_t>(&d - shared_->desk)});
    if (child == 0) execute_alone(d, p, guide);
    if (child < 0) return false;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (p.done || p.outcome.given_up) return true;
    p.outcome = Outcome();
    p.outcome.failure = death_of(status, false);
    return true;
  }

  static void note(Desk& d) {
    d.uncontrolled_count = 0;
    for (const Uncontrolled& u : engine().all_uncontrolled())
      if (d.uncontrolled_count < Share::kUncontrolled) d.uncontrolled[d.uncontrolled_count++] = u;
  }

  const Session& session_;
  std::string& why_forked_;
  std::uint32_t jobs_;
  bool forks_;
  std::size_t at_;  // in the shared file
  Shared* shared_;
  std::vector<WorkerProcess> workers_;
  std::uint64_t made_ = 0;
};

}  // namespace

void go_on_with_place(Session& session, std::uint32_t which) {
  Elsewhere(session, session.why_forked, session.options.jobs).go_on(which);
}

std::unique_ptr<Attempts> attempts_elsewhere(Session& session, std::uint32_t jobs) {
  return std::make_unique<Elsewhere>(session, session.why_forked, jobs);
}

}  // namespace jostle::explore

// Runners that execute in other processes.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "explore/interrupt.h"
#include "explore/keeper.h"
#include "explore/rounds.h"
#include "explore/spawn.h"
#include "explore/status.h"
#include "explore/worker_process.h"
#include "runtime/delays.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"

namespace jostle::explore {
namespace {

// A process that died in the middle of an execution: the plan says which.
void died(Share& s, int status, bool stuck = false) {
  s.failed = true;
  s.failure_plan = s.current;
  s.failure = death_of(status, stuck);
}

std::uint64_t progress_of(const Share& s) { return s.executed + s.alive; }

class Workers final : public Runner {
 public:
  Workers(const Session& session, std::uint32_t jobs)
      : session_(session),
        jobs_(jobs),
        shared_(static_cast<Shared*>(map_pages(sizeof(Shared) + jobs * sizeof(Share), true))) {
    for (std::uint32_t i = 0; i < jobs_; ++i) start(i);
  }
  ~Workers() override {
    for (WorkerProcess& w : workers_) w.end();
    unmap_pages(shared_, sizeof(Shared) + jobs_ * sizeof(Share));
  }
  std::vector<Share*> run(const Round& round) override {
    shared_->round = round;
    shared_->taken = 0;
    std::vector<Share*> out;
    for (std::uint32_t i = 0; i < jobs_; ++i) {
      shared_->share[i].clear();
      if (!workers_[i].tell()) shared_->share[i].done = false;
    }
    for (std::uint32_t i = 0; i < jobs_; ++i) {
      Share& s = shared_->share[i];
      out.push_back(&s);
      if (!workers_[i].alive()) {
        s.out_of_time = true;
        continue;
      }
      Patience patience(session_);
      while (!ready(workers_[i].up, 100)) {
        if (session_.status) session_.status->during(executed());
        if (patience.over(progress_of(s)) || no_more_waiting(session_)) workers_[i].kill();
      }
      if (!workers_[i].answer()) {
        const int status = workers_[i].end();
        if (no_more_waiting(session_))
          s.out_of_time = true;
        else
          died(s, status, patience.is_over());
        start(i);
      }
    }
    return out;
  }
  void learned(const std::vector<std::uint32_t>& behaviours) override {
    shared_->learned = 0;
    for (const std::uint32_t b : behaviours) {
      known_.push_back(b);
      if (shared_->learned < Share::kFresh) shared_->behaviour[shared_->learned++] = b;
    }
  }

 private:
  struct Shared {
    Round round;
    alignas(64) std::uint64_t taken;  // of its plans
    std::uint32_t learned;
    std::uint32_t behaviour[Share::kFresh];
    Share share[];
  };

  std::uint64_t executed() const {
    std::uint64_t n = 0;
    for (std::uint32_t i = 0; i < jobs_; ++i) n += shared_->share[i].executed;
    return n;
  }

  void start(std::uint32_t i) {
    WorkerProcess w;
    w.start([&](int down, int up) {
      for (const WorkerProcess& other : workers_) {
        close(other.down);
        close(other.up);
      }
      serve(i, down, up);
    });
    if (i < workers_.size())
      workers_[i] = w;
    else
      workers_.push_back(w);
  }

  [[noreturn]] void serve(std::uint32_t i, int down, int up) {
    start_engine(session_);
    for (const std::uint32_t b : known_) engine().scheduler().know(b);
    if (session_.options.isolation == Options::Isolation::snapshot) {
      for (const StrategyEntry& e : strategies()) e.instance();
      snapshot::take();
    }
    char c;
    while (read(down, &c, 1) == 1) {
      for (std::uint32_t k = 0; k < shared_->learned; ++k)
        engine().scheduler().know(shared_->behaviour[k]);
      Share& s = shared_->share[i];
      show_progress_in(&s.alive);
      run_share(session_, shared_->round, shared_->taken, s);
      note_uncontrolled(s);
      s.done = true;
      if (write(up, &c, 1) != 1) break;
    }
    _exit(0);
  }

  const Session& session_;
  std::uint32_t jobs_;
  Shared* shared_;
  std::vector<WorkerProcess> workers_;
  std::vector<std::uint32_t> known_;
};

// isolation=fork and spawn: each execution starts from the state before the first.
class Forking final : public Runner {
 public:
  Forking(const Session& session, std::uint32_t jobs)
      : session_(session),
        jobs_(jobs),
        at_(g_shared_file.used),
        shares_(static_cast<Share*>(map_pages((jobs + 1) * sizeof(Share), true))),
        task_(static_cast<Task*>(map_pages(sizeof(Task), true))) {
    if (!session.kernel_threads() && !spawned()) engine().warm_up(4);
  }
  ~Forking() override {
    unmap_pages(shares_, (jobs_ + 1) * sizeof(Share));
    unmap_pages(task_, sizeof(Task));
  }
  // In a process that was started for it.
  [[noreturn]] void go_on(std::uint32_t which) {
    for (std::uint32_t i = 0; i < task_->known_count; ++i)
      engine().scheduler().know(task_->known[i]);
    execute(task_->index[which], shares_[which]);
  }

  std::vector<Share*> run(const Round& round) override {
    Share& all = shares_[jobs_];
    all.clear();
    std::uint64_t next = 0;
    while (next < round.count && !all.failed && !all.skipped && !interrupted(session_)) {
      if (out_of_time(session_)) {
        all.out_of_time = true;
        break;
      }
      // A batch at a time, merged in order.
      std::uint32_t n = 0;
      pid_t pids[Task::kMost];
      task_->round = round;
      for (; n < jobs_ && n < Task::kMost && next < round.count; ++n, ++next) {
        task_->index[n] = round.first + next;
        pids[n] = launch(n);
      }
      for (std::uint32_t i = 0; i < n; ++i) {
        if (pids[i] < 0) {  // there are too many processes
          all.out_of_time = true;
          continue;
        }
        bool stuck = false;
        const int status = wait_for(pids[i], shares_[i], stuck);
        const bool over = interrupted(session_) || shares_[i].out_of_time ||
                          (!shares_[i].done && no_more_waiting(session_));
        all.out_of_time |= over;
        if (!shares_[i].done && !over) died(shares_[i], status, stuck);
        if (!all.failed && !over) merge(all, shares_[i]);
      }
      if (session_.status) session_.status->during(all.executed);
      if (all.out_of_time) break;
    }
    return {&all};
  }
  void learned(const std::vector<std::uint32_t>& behaviours) override {
    for (const std::uint32_t b : behaviours) {
      engine().scheduler().know(b);
      if (task_->known_count < Task::kKnown) task_->known[task_->known_count++] = b;
    }
  }

 private:
  struct Task {
    static constexpr std::uint32_t kMost = 64, kKnown = 1u << 20;
    Round round;
    std::uint64_t index[kMost];  // by share
    std::uint32_t known_count;
    std::uint32_t known[kKnown];
  };

  pid_t launch(std::uint32_t which) {
    Share& s = shares_[which];
    s.clear();
    s.current = task_->round.plan(task_->index[which]);
    const pid_t p = fork_helper();
    if (p != 0) return p;
    if (spawns(session_)) start_anew(session_, {Spawned::Task::share, at_, which});
    execute(task_->index[which], s);
  }
  [[noreturn]] void execute(std::uint64_t index, Share& s) {
    start_engine(session_);
    show_progress_in(&s.alive);
    Round one = task_->round;
    one.first = index;
    one.count = 1;
    std::uint64_t taken = 0;
    run_share(session_, one, taken, s);
    note_uncontrolled(s);
    s.done = true;
    std::fflush(nullptr);
    _exit(0);
  }
  int wait_for(pid_t pid, const Share& share, bool& stuck) {
    int status = 0;
    const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    Patience patience(session_);
    while (fd >= 0 && !ready(fd, 100)) {
      if (session_.status) session_.status->during(0);
      stuck = stuck || patience.over(progress_of(share));
      if (stuck || no_more_waiting(session_)) kill(pid, SIGKILL);
    }
    if (fd >= 0) close(fd);
    waitpid(pid, &status, 0);
    return status;
  }
  static void merge(Share& all, const Share& s) {
    ++all.executed;
    if (all.length == 0) {
      all.length = s.length;
      all.profile = s.profile;
    }
    all.skipped |= s.skipped;
    for (std::uint32_t i = 0; i < s.fresh_count && all.fresh_count < Share::kFresh; ++i)
      all.fresh[all.fresh_count++] = s.fresh[i];
    for (std::uint32_t i = 0; i < s.race_count; ++i) {
      bool known = false;
      for (std::uint32_t k = 0; k < all.race_count && !known; ++k)
        known = all.races[k].race.place.pc == s.races[i].race.place.pc &&
                static_cast<std::uint32_t>(all.races[k].race.other.pc) ==
                    static_cast<std::uint32_t>(s.races[i].race.other.pc);
      if (!known && all.race_count < Share::kRaces) all.races[all.race_count++] = s.races[i];
    }
    if (all.uncontrolled_count == 0) {
      for (std::uint32_t i = 0; i < s.uncontrolled_count; ++i)
        all.uncontrolled[i] = s.uncontrolled[i];
      all.uncontrolled_count = s.uncontrolled_count;
    }
    if (s.failed) {
      all.failed = true;
      all.failure_plan = s.failure_plan;
      all.failure = s.failure;
    }
  }

  const Session& session_;
  std::uint32_t jobs_;
  std::size_t at_;  // in the shared file
  Share* shares_;
  Task* task_;
};

class Snapshots final : public Runner {
 public:
  Snapshots(const Session& session, std::uint32_t jobs, std::string& why)
      : session_(session),
        jobs_(jobs),
        why_(why),
        runner_(std::make_unique<Workers>(session, jobs)) {}

  std::vector<Share*> run(const Round& round) override {
    std::vector<Share*> shares = runner_->run(round);
    if (!why_.empty()) return shares;
    for (const Share* s : shares)
      if (s->not_restorable[0]) why_ = s->not_restorable;
    if (why_.empty()) return shares;
    // The same plans give the same executions: nothing is lost by making them once more.
    runner_ = std::make_unique<Forking>(session_, jobs_);
    for (const std::uint32_t b : known_) engine().scheduler().know(b);
    return runner_->run(round);
  }
  void learned(const std::vector<std::uint32_t>& behaviours) override {
    known_.insert(known_.end(), behaviours.begin(), behaviours.end());
    runner_->learned(behaviours);
  }

 private:
  const Session& session_;
  std::uint32_t jobs_;
  std::string& why_;
  std::unique_ptr<Runner> runner_;
  std::vector<std::uint32_t> known_;
};

// strategy=delay: the body on ordinary threads in a process of its own.
class Delaying final : public Runner {
 public:
  explicit Delaying(const Session& session)
      : session_(session), share_(static_cast<Share*>(map_pages(sizeof(Share), true))) {}
  ~Delaying() override { unmap_pages(share_, sizeof(Share)); }

  std::vector<Share*> run(const Round& round) override {
    share_->clear();
    for (std::uint64_t n = 0; n < round.count && !share_->failed && !interrupted(session_); ++n) {
      if (out_of_time(session_)) {
        share_->out_of_time = true;
        break;
      }
      share_->current = round.plan(round.first + n);
      const pid_t p = fork_helper();
      if (p == 0) {
        start_delays(share_->current.seed | 1);
        session_.body.call(session_.body.context);
        _exit(0);
      }
      if (!wait_for(p)) break;
      ++share_->executed;
    }
    return {share_};
  }
  void learned(const std::vector<std::uint32_t>&) override {}

 private:
  // False: there was no time for that.
  bool wait_for(pid_t p) {
    const double limit =
        monotonic_seconds() + (session_.options.timeout > 0 ? session_.options.timeout : 10);
    int status = 0;
    for (long pause = 20'000;; pause = std::min(pause * 2, 5'000'000l)) {
      if (waitpid(p, &status, WNOHANG) != 0) break;
      if (no_more_waiting(session_)) {
        kill(p, SIGKILL);
        waitpid(p, &status, 0);
        share_->out_of_time = true;
        return false;
      }
      if (monotonic_seconds() > limit) {
        kill(p, SIGKILL);
        waitpid(p, &status, 0);
        died(*share_, status);
        share_->failure.kind = FindingKind::timeout;
        std::snprintf(share_->failure.message, sizeof share_->failure.message,
                      "the body did not come to an end in %g s", session_.options.timeout);
        return true;
      }
      const timespec ts{0, pause};
      nanosleep(&ts, nullptr);
    }
    if (status == 0) return true;
    died(*share_, status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
      share_->failure.kind = FindingKind::assertion;
    return true;
  }
  const Session& session_;
  Share* share_;
};

}  // namespace

std::unique_ptr<Runner> worker_runner(const Session& session, std::uint32_t jobs) {
  return std::make_unique<Workers>(session, jobs);
}
std::unique_ptr<Runner> snapshot_runner(const Session& session, std::uint32_t jobs,
                                        std::string& why) {
  return std::make_unique<Snapshots>(session, jobs, why);
}

std::unique_ptr<Runner> forking_runner(const Session& session, std::uint32_t jobs) {
  return std::make_unique<Forking>(session, jobs);
}

void go_on_with_share(const Session& session, std::uint32_t which) {
  Forking(session, session.options.jobs).go_on(which);
}

std::unique_ptr<Runner> delaying_runner(const Session& session) {
  return std::make_unique<Delaying>(session);
}

}  // namespace jostle::explore

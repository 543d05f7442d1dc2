#include "explore/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "explore/anchored.h"
#include "explore/interrupt.h"
#include "explore/requests.h"
#include "explore/results.h"
#include "explore/spawn.h"
#include "explore/worker_process.h"
#include "runtime/signals.h"
#include "trace/schedule_file.h"

namespace jostle::explore {
namespace {

AnchoredReplay* g_anchored = nullptr;  // in a child that replays by source

Recorder& shared_recorder() {
  // Where a program that is started later finds it, too.
  static Recorder& r = *new (map_pages(sizeof(Recorder), true)) Recorder;
  return r;
}

// For the execution that the searching process died in: one that crashed it takes no longer, and
// nobody should find a process of ours still at work.
constexpr double kOrphanSeconds = 2;

bool read_byte(int fd) {
  char c;
  ssize_t n;
  do n = ::read(fd, &c, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

bool write_byte(int fd) {
  const char c = 1;
  ssize_t n;
  do n = ::write(fd, &c, 1);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

double now() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}

}  // namespace

bool make_pipe(int (&ends)[2]) {
  constexpr int kFirst = 900;
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  for (int& fd : ends) {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, kFirst);
    if (high < 0) continue;  // a low limit: then where it is
    close(fd);
    fd = high;
  }
  return true;
}

pid_t fork_helper(bool dies_with_parent) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t p = fork_without_interrupts();
  if (p != 0) return p;
  if (dies_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
  }
  return p;
}

Keeper::Keeper(const Session& session)
    : session_(session),
      at_(g_shared_file.used),
      shared_(static_cast<Shared*>(map_pages(sizeof(Shared), true))),
      recorder_(shared_recorder()) {
  if (spawned()) return;  // it needs none
  int down[2], up[2];
  if (!make_pipe(down) || !make_pipe(up)) return;
  pid_ = fork_helper(!session.on_orphaned);  // if it has nothing to say then
  if (pid_ == 0) {
    close(down[1]);
    close(up[0]);
    to_keeper_ = down[0];
    from_keeper_ = up[1];
    // What is mapped here from now on is not what the process that searches maps at the same time.
    constexpr std::size_t kApart = std::size_t{1} << 36;
    g_shared_file.used += kApart;
    serve();
  }
  close(down[0]);
  close(up[1]);
  to_keeper_ = down[1];
  from_keeper_ = up[0];
  interrupt_takes_along(pid_);
}

Keeper::~Keeper() {
  if (to_keeper_ >= 0) close(to_keeper_);
  if (from_keeper_ >= 0) close(from_keeper_);
  if (pid_ > 0) {
    interrupt_takes_along(-1);
    kill(pid_, SIGKILL);
    int status;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  unmap_pages(shared_, sizeof(Shared));
}

Fresh Keeper::run() {
  Fresh f;
  if (requests().here) execute();  // for a debugger, which follows one process
  if (pid_ < 0) return f;
  if (session_.recorded) ++session_.recorded->fresh;
  recorder_.clear();
  shared_->ended = false;
  shared_->timed_out = false;
  const double begin = now();
  if (pid_ == 0) {
    serve_one();
  } else if (!write_byte(to_keeper_) || !read_byte(from_keeper_)) {
    f.exit_code = -1;
    return f;
  }
  f.seconds = now() - begin;
  f.ended = shared_->ended;
  f.timed_out = shared_->timed_out;
  if (WIFSIGNALED(shared_->status)) f.signal = WTERMSIG(shared_->status);
  if (WIFEXITED(shared_->status)) f.exit_code = WEXITSTATUS(shared_->status);
  f.trace = recorder_.trace();
  f.trace.outcome = shared_->outcome;
  f.replay_left = shared_->replay_left;
  if (f.timed_out) {
    Problem& p = f.trace.outcome.failure;
    p = {};
    p.kind = FindingKind::timeout;
    std::snprintf(p.message, sizeof p.message,
                  "the execution did not come to an end, and its process had to be killed");
  } else if (!f.ended && f.signal) {
    // It died without our handlers: the stack was gone, or somebody killed it.
    Problem& p = f.trace.outcome.failure;
    p = {};
    p.kind = FindingKind::crash;
    p.code = static_cast<std::uint32_t>(f.signal);
    if (!f.trace.events.empty()) {
      const Event& e = f.trace.events.back();
      p.place = {e.thread, e.kind, e.pc, static_cast<std::uint32_t>(f.trace.events.size())};
    }
    std::snprintf(p.message, sizeof p.message, "killed by signal %d (%s)", f.signal,
                  strsignal(f.signal));
  }
  return f;
}

void Keeper::serve() {
  if (!interrupt_handled(SIGINT)) signal(SIGINT, SIG_IGN);  // whoever started us decides
  if (!session_.kernel_threads()) engine().warm_up(4);
  while (read_byte(to_keeper_)) {
    serve_one();
    if (host_is_gone(0) || !write_byte(from_keeper_)) break;
  }
  orphaned_ = true;
  if (session_.on_orphaned) session_.on_orphaned(*this, session_);
  _exit(0);
}

// Waits for so long, or until the process that we work for has died.
bool Keeper::host_is_gone(long nanoseconds) const {
  pollfd p = {to_keeper_, 0, 0};
  const timespec ts{0, nanoseconds};
  return ppoll(&p, 1, &ts, nullptr) > 0 && (p.revents & POLLHUP);
}

void Keeper::serve_one() {
  const pid_t child = fork_helper();
  if (child == 0 && spawns(session_)) start_anew(session_, {Spawned::Task::fresh, at_, 0});
  if (child == 0) execute();
  if (child < 0) {
    shared_->status = 0;
    return;
  }
  const double start = now();
  Patience patience(session_);
  int status = 0;
  long pause = 20'000;
  for (;;) {
    const pid_t r = waitpid(child, &status, WNOHANG);
    if (r == child || (r < 0 && errno != EINTR)) break;
    if (orphaned_ ? now() - start > kOrphanSeconds : patience.over(shared_->alive)) {
      kill(child, SIGKILL);
      shared_->timed_out = true;
    }
    if (orphaned_) {
      const timespec ts{0, pause};
      nanosleep(&ts, nullptr);
    } else if (host_is_gone(pause)) {  // nobody wants to know any more
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return;
    }
    if (pause < 2'000'000) pause += pause / 4;
  }
  shared_->status = status;
}

void Keeper::execute() {
  if (to_keeper_ >= 0) close(to_keeper_);
  if (from_keeper_ >= 0) close(from_keeper_);
  if (!session_.whole_program()) {
    const int null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
      dup2(null, 1);
      dup2(null, 2);
    }
  }
  Engine& e = engine();
  Assignment& a = shared_->assignment;
  start_engine(session_, true);
  show_progress_in(&shared_->alive);
  apply_sites(e, a);
  replay_strategy().follow(a.deviations, a.deviation_count);
  segment_strategy().follow(a.segments, a.segment_count);
  segment_strategy().answer(a.deviations, a.deviation_count);
  const bool anchored = a.plan.strategy == kAnchoredStrategy;
  if (anchored) {
    auto loaded = load_schedule(session_.options.replay);
    if (!loaded) _exit(1);
    g_anchored = new AnchoredReplay(std::move(*loaded));
    e.resolve_site = [](std::uint64_t pc) -> std::uint8_t {
      return g_anchored->promotes(pc) ? kPromoted : 0;
    };
  }
  Strategy& s = anchored ? *g_anchored : strategy_for(a.plan);
  const Outcome& o =
      explore::execute(session_, a.plan, a.profile, s, a.record ? &recorder_ : nullptr);
  shared_->outcome = o;
  if (a.plan.strategy == kReplayStrategy) {
    const Replay& r = replay_strategy();
    shared_->replay_left = static_cast<std::uint32_t>(r.left());
    shared_->outcome.diverged = r.diverged();
    shared_->outcome.diverged_at = r.diverged_at();
    std::snprintf(shared_->outcome.divergence, sizeof shared_->outcome.divergence, "%s",
                  r.reason());
  }
  if (anchored) shared_->replay_left = static_cast<std::uint32_t>(g_anchored->left());
  shared_->ended = true;
  _exit(0);
}

}  // namespace jostle::explore

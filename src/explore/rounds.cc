#include "explore/rounds.h"

#include <sys/syscall.h>

#include <cstdio>
#include <ctime>

#include "explore/measure.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/system_call.h"

namespace jostle::explore {

double monotonic_seconds() {
  timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}

namespace {

const Interruption* g_interruption = nullptr;

double deadline_of(const Session& session) {
  return session.progress ? session.progress->interruption.deadline : 0;
}

}  // namespace

bool out_of_time(const Session& session) {
  const double deadline = deadline_of(session);
  return deadline > 0 && monotonic_seconds() > deadline;
}

void give_up_in_time(const Session& session) {
  if (!session.progress) return;
  g_interruption = &session.progress->interruption;
  give_up_when([] {
    // In a handler of a signal, perhaps of a controlled thread: nothing that is not our own.
    timespec ts = {};
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&ts));
    const double now = static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
    return g_interruption->signal != 0 ||
           (g_interruption->deadline > 0 && now > g_interruption->deadline);
  });
}

bool given_up(const Session& session, const Outcome& o) {
  if (JOSTLE_LIKELY(!o.given_up)) return false;
  session.progress->given_up = true;
  session.progress->steps = o.steps;
  return true;
}

bool no_more_waiting(const Session& session) {
  constexpr double kGrace = 1;
  const double deadline = deadline_of(session);
  if (interrupted(session)) return true;
  if (deadline <= 0 || monotonic_seconds() < deadline + kGrace) return false;
  return session.progress->given_up = true;
}

std::uint32_t Round::arm_of(std::uint64_t index) const {
  if (arms == 1) return 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < arms; ++i) sum += weight[i];
  const std::uint64_t r = mix64(seed ^ mix64(index / kBurst + 0x5851f42d4c957f2dull));
  auto k = static_cast<std::uint64_t>((static_cast<unsigned __int128>(r) * sum) >> 64);
  for (std::uint32_t i = 0; i < arms; ++i) {
    if (k < weight[i]) return i;
    k -= weight[i];
  }
  return 0;
}

Plan Round::plan(std::uint64_t index, std::uint32_t with) const {
  const Arm& a = arm[with];
  Plan p;
  p.index = index;
  p.seed = mix64(seed ^ mix64(index));
  p.strategy = a.strategy;
  p.depth = a.depth;
  p.stickiness = a.stickiness;
  p.length = length;
  // Most executions leave a spin at once; the others are patient for a while.
  static constexpr std::uint32_t kPatience[] = {0, 0, 0, 0, 4, 24, 24, 64};
  p.patience = kPatience[(p.seed >> 20) & 7];
  // A few see what comes after a long spin: of any length, as long as the execution is short enough
  // not to be looked at for a livelock.
  if (((p.seed >> 23) & 31) == 0) p.patience = Plan::kEach + (128u << ((p.seed >> 28) % 7));
  return p;
}

void run_share(const Session& session, const Round& round, std::uint64_t& taken, Share& out) {
  Engine& e = engine();
  Scheduler& s = e.scheduler();
  e.clear_sites();
  if (round.recheck_races) e.races().forget_all();
  for (std::uint32_t i = 0; i < round.promoted_count; ++i) e.set_site(round.promoted[i], kPromoted);
  std::uint64_t burst = ~0ull;
  std::uint32_t arm = 0;  // of that burst
  for (;;) {
    const std::uint64_t n = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    if (n >= round.count) return;
    const std::uint64_t index = round.first + n;
    const bool look = (n & 63) == 0 || session.whole_program();
    if (look && n > 0 && out_of_time(session)) {
      out.out_of_time = true;
      return;
    }
    if (JOSTLE_UNLIKELY(interrupted(session))) return;
    if (burst != index / Round::kBurst) {
      burst = index / Round::kBurst;
      arm = round.arm_of(index);
    }
    out.current = round.plan(index, arm);
    out.running = true;
    s.measure(n == 0);
    const Outcome& o = execute(session, out.current, round.profile, strategy_for(out.current));
    out.running = false;
    if (JOSTLE_UNLIKELY(given_up(session, o))) {
      out.out_of_time = true;
      e.races().forget_found();
      return;
    }
    ++out.executed;
    if (JOSTLE_UNLIKELY(session.coverage != nullptr)) measure(session, index);
    if (n == 0) {
      out.length = o.decisions + o.decisions / 5 + 2;
      out.profile = s.measured();
      s.measure(false);
    }
    for (std::uint32_t i = 0; i < s.new_behaviours() && out.fresh_count < Share::kFresh; ++i)
      out.fresh[out.fresh_count++] = {index, s.new_behaviour(i)};
    if (JOSTLE_UNLIKELY(!e.races().found().empty())) {
      for (const Problem& r : e.races().found())
        if (out.race_count < Share::kRaces) out.races[out.race_count++] = {out.current, r};
      e.races().forget_found();
    }
    if (const char* trouble = snapshot::trouble(); JOSTLE_UNLIKELY(*trouble != 0)) {
      std::snprintf(out.not_restorable, sizeof out.not_restorable, "%s", trouble);
      return;
    }
    if (JOSTLE_UNLIKELY(o.skipped)) {
      out.skipped = true;
      return;
    }
    if (JOSTLE_UNLIKELY(o.failure.kind != FindingKind::none)) {
      out.failed = true;
      out.failure_plan = out.current;
      out.failure = o.failure;
      // What has a smaller number is taken; what has a larger one does not count any more.
      __atomic_store_n(&taken, round.count, __ATOMIC_RELAXED);
      return;
    }
  }
}

void note_uncontrolled(Share& s) {
  s.uncontrolled_count = 0;
  for (const Uncontrolled& u : engine().all_uncontrolled())
    if (s.uncontrolled_count < Share::kUncontrolled) s.uncontrolled[s.uncontrolled_count++] = u;
}

namespace {

class InProcess final : public Runner {
 public:
  explicit InProcess(const Session& session) : session_(session), share_(&session.progress->share) {
    Engine& e = engine();
    e.set_timeout(session.options.timeout);
    limit_printed(e, session.options);
    e.configure(session.settings, session.kernel_threads());
    apply_seals(e, session.options);
    e.scheduler().forget_behaviours();
    e.races().forget_all();
    e.forget_uncontrolled();  // by the tests before this one
    start_measuring(session);
    give_up_in_time(session);
    watch_start();
  }
  ~InProcess() override {
    if (session_.coverage) engine().log_accesses(nullptr);
    watch_stop();
    remove_crash_handlers();
    engine().release_quarantine();
    share_->running = false;
  }
  std::vector<Share*> run(const Round& round) override {
    share_->clear();
    session_.progress->round = round;
    std::uint64_t taken = 0;
    run_share(session_, round, taken, *share_);
    note_uncontrolled(*share_);
    share_->done = true;
    return {share_};
  }
  void learned(const std::vector<std::uint32_t>& behaviours) override {
    for (const std::uint32_t b : behaviours) engine().scheduler().know(b);
  }

 private:
  const Session& session_;
  Share* share_;
};

}  // namespace

std::unique_ptr<Runner> in_process_runner(const Session& session) {
  return std::make_unique<InProcess>(session);
}

}  // namespace jostle::explore

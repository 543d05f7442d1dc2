#include "explore/session.h"

#include <csignal>

#include "explore/interrupt.h"
#include "explore/measure.h"
#include "explore/rounds.h"
#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/randomness.h"
#include "runtime/signals.h"

namespace jostle::explore {

Settings settings_of(const Options& o) {
  Settings s;
  s.preempt = static_cast<Preempt>(o.preempt);
  s.bounds = {o.spurious, o.weak_cas, o.timeouts, o.retries, o.max_steps, 0};
  s.races = o.races;
  s.heap = o.heap_checks;
  return s;
}

const char* scheduling_points(Preempt level) {
  switch (level) {
    case Preempt::sync:
      return "synchronisation operations";
    case Preempt::race:
      return "synchronisation operations and racing accesses";
    default:
      return "all accesses";
  }
}

std::string in_words(const Bounds& b, bool left_out) {
  std::string text = "spurious wakeups <= " + std::to_string(b.spurious) +
                     ", weak compare-exchange failures <= " + std::to_string(b.weak_cas) +
                     ", early timeouts <= " + std::to_string(b.timeouts);
  if (left_out)
    text += ", turns that a thread takes back <= " + std::to_string(b.retries) +
            ", looks in a row that show a thread the same at one place <= " +
            std::to_string(Bounds::kLooks);
  return text;
}

void limit_printed(Engine& e, const Options& o) {
  e.limit_printed(o.printed > 0 ? std::uint64_t{o.printed} << 20 : ~0ull);
}

void start_engine(const Session& session, bool shown) {
  // Whoever started us decides when it is over.
  if (!interrupt_handled(SIGINT)) std::signal(SIGINT, SIG_IGN);
  Engine& e = engine();
  e.after_fork();
  e.set_timeout(session.options.timeout);
  e.expect_exit(static_cast<int>(session.options.expect_exit));
  limit_printed(e, session.options);
  e.configure(session.settings, session.kernel_threads());
  family::control_children(session.options.children == Options::Children::controlled);
  apply_seals(e, session.options);
  e.races().forget_all();  // what earlier runs of this process have reported is news to this one
  start_measuring(session);
  give_up_when(nullptr);
  if (!shown) give_up_in_time(session);
  watch_start();
  seed_randomness(session.options.seed);
  if (session.whole_program()) control_instructions();
  if (session.surroundings.enter) session.surroundings.enter(session.options, shown);
}

const Outcome& execute(const Session& session, const Plan& plan, const Profile& profile,
                       Strategy& strategy, Recorder* recorder) {
  const Surroundings& around = session.surroundings;
  if (around.before) around.before(session.options);
  const Outcome& o = engine().execute(plan, profile, strategy, session.body, recorder);
  if (around.after) around.after(session.options, engine().scheduler().outcome());
  return o;
}

Replay& replay_strategy() {
  static Replay& r = *new Replay;
  return r;
}

Segments& segment_strategy() {
  static Segments& s = *new Segments;
  return s;
}

Strategy& strategy_for(const Plan& plan) {
  if (plan.strategy == kReplayStrategy) return replay_strategy();
  if (plan.strategy == kSegmentStrategy) return segment_strategy();
  return strategies()[plan.strategy].instance();
}

void apply_sites(Engine& e, const Assignment& a) {
  e.clear_sites();
  if (a.record) e.record_accesses();
  for (std::uint32_t i = 0; i < a.promoted_count; ++i) e.set_site(a.promoted[i], kPromoted);
  if (a.record)
    for (std::uint32_t i = 0; i < a.watched_count; ++i) e.set_site(a.watched[i], kWatched);
}

}  // namespace jostle::explore

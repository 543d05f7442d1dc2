// A program that was started by one that is being executed, under children=controlled.
#include <unistd.h>

#include <cstring>

#include "explore/run_program.h"
#include "runtime/family.h"
#include "runtime/instructions.h"
#include "runtime/randomness.h"
#include "runtime/signals.h"
#include "runtime/start_point.h"
#include "runtime/tsan/access.h"

namespace jostle::explore {

void take_part(const Options& options) {
  const family::Given& given = family::given();
  Engine& e = engine();
  Settings settings = given.settings;
  settings.sees_writes = g_instrumented;
  e.set_timeout(given.timeout);
  if (options.printed > 0) e.limit_printed(std::uint64_t{options.printed} << 20);
  e.configure(settings, false);
  apply_seals(e, options);
  watch_start();
  seed_randomness(given.seed);
  if (look_for_instructions())
    e.uncontrolled("random numbers of the processor: rdrand or rdseed", 0);
  if (threads_here() > 1) e.uncontrolled("threads that were started before main()", 0);
  control_instructions();
  if (given.recorder) e.record_accesses();
  // What departs from the default schedule is looked up by places in the program that was saved.
  Strategy& s =
      given.plan.strategy == kAnchoredStrategy ? replay_strategy() : strategy_for(given.plan);
  e.execute(given.plan, given.profile, s, {}, given.recorder);
  _exit(1);
}

}  // namespace jostle::explore

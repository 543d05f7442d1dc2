// strategy=check: all schedules, best first, without those that come to the same.
#pragma once

#include "explore/executor.h"

namespace jostle::explore {

void run_check(Session& session, Executor& executor, Result& result);

}  // namespace jostle::explore

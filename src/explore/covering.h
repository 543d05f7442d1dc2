// strategy=cover: predicts interleavings from executions and makes them happen.
#pragma once

#include "explore/executor.h"

namespace jostle::explore {

void run_cover(Session& session, Executor& executor, Result& result);

}  // namespace jostle::explore

// strategy=dfs: all schedules, without reduction.
#pragma once

#include "explore/keeper.h"

namespace jostle::explore {

// Depth first, in this process. A race that shows up promotes its places and starts the search
// again: what is promised at the end holds for one set of scheduling points.
void run_exhaustively(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

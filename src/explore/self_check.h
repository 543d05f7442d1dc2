// Is the program as deterministic as a search needs it to be?
#pragma once

#include "explore/keeper.h"

namespace jostle::explore {

// Executes one plan twice, in fresh processes. If the two executions differ, says where and adds it
// to what is not controlled.
void check_determinism(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

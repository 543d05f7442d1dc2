// Following a schedule file instead of searching.
#pragma once

#include "explore/keeper.h"

namespace jostle::explore {

// Executes what options.replay names, once, in a fresh process, and says how exactly it could be
// followed. A schedule of another test leaves the result "skipped".
void follow_schedule(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

// Following a schedule file instead of searching.
#pragma once

#include "explore/keeper.h"

namespace jostle::explore {

// Takes over what the schedule that options.replay names was made with: the backend, where threads
// may be interrupted, the bounds. Before the keeper is made. A file that cannot be read is left to
// follow_schedule().
void adopt_schedule(Session& session);

// Executes what options.replay names, once, in a fresh process, and says how exactly it could be
// followed. A schedule of another test leaves the result "skipped".
//
// For the command line tool: JOSTLE_INTERNAL_RESULT names a file that gets the verdict, one word
// on the first line (reproduced, other, passed, diverged, unusable) and how exactly the schedule
// could be followed on the second. With JOSTLE_INTERNAL_MINIMIZE set, what fails is minimised and
// saved in the output directory again; the third line names the file.
void follow_schedule(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

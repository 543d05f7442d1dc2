// A failing execution as a script: where each thread stops, in order, with what is not needed left
// out.
#pragma once

#include "base/expected.h"
#include "explore/session.h"

namespace jostle::explore {

// Text of a header with the script. Each line that is left is necessary: without it, the execution
// did not fail as the trace did. Executes in this process.
Expected<std::string> script_of(const Session& session, const Trace& failing);

}  // namespace jostle::explore

// jostle::script_system(): all choices of a script that drives other processes.
#pragma once

#include "explore/scripting.h"

namespace jostle::explore {

void run_system_script(const Session& session, Result& result);

}  // namespace jostle::explore

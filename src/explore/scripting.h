// jostle::script(): all schedules that a script allows.
#pragma once

#include <jostle/script.hpp>

#include "explore/keeper.h"

namespace jostle::explore {

struct ScriptCall {
  const std::function<void()>& script;
  scripting::Oracle& oracle;
};

void run_script(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

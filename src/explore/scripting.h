// jostle::script(): all schedules that a script allows.
#pragma once

#include <jostle/script.hpp>

#include "explore/keeper.h"

namespace jostle::explore {

struct ScriptCall {
  const std::function<void()>& script;
  scripting::Oracle& oracle;
};

// What all executions together come to; `stuck` is why the first ended early that did, `cut`: there
// may be more executions to make.
void conclude_script(Result& result, const std::string& stuck, bool cut);
void run_script(const Session& session, Keeper& keeper, Result& result);

}  // namespace jostle::explore

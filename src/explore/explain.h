// Why a schedule fails: beside the nearest one that does not.
#pragma once

#include "explore/executor.h"
#include "report/symbols.h"

namespace jostle::explore {

// `failing` is what the keeper's assignment gives. Text for people; "" if every schedule near it
// fails, too.
std::string nearest_passing(Executor& keeper, const Trace& failing, report::Symbols& symbols);

}  // namespace jostle::explore

// Files that the program makes and writes: nobody puts them back between executions.
#pragma once

#include "runtime/system_model.h"

namespace jostle {

// Does the next execution find something that the call, which gave `result`, has made?
bool leaves_files(const SystemCall& c, long result);

}  // namespace jostle

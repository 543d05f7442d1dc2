// exec(): the program becomes another one.
#pragma once

#include <string>

#include "runtime/system_model.h"

namespace jostle::exec {

// If the program becomes another one before it has started a thread, it was only there to start it:
// a script, a wrapper. Then what it becomes is written to this file, and the execution is skipped;
// unless it has changed more of itself than its environment. The file has the directory, the path,
// the arguments, an empty word and the environment: each ends with a zero.
void note_in(const std::string& file);
// A call of the program: does it change what its successor would find?
void look_at(const SystemCall& c);
// At the start of each execution.
void forget();

long call(Thread& t, const SystemCall& c);

}  // namespace jostle::exec

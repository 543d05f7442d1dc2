// Processes that a test body starts, and that nobody controls. They end with the execution: a body
// is called thousands of times. (Of whole programs, whoever starts them sees to that.)
#pragma once

#include <sys/types.h>

namespace jostle::free_children {

void started(pid_t child);
// Those that the body has not waited for are killed, and waited for.
void end_all();

}  // namespace jostle::free_children

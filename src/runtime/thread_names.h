// Names of threads: those of the carriers are not the program's business.
#pragma once

#include <cstddef>

#include "sched/thread.h"

namespace jostle {

inline constexpr std::size_t kNameSize = sizeof(Thread::name);  // the kernel's, too

// What does not fit is cut off.
void set_name(Thread& t, const char* name);
// Null: it was given none, and has the program's.
inline const char* name_of(const Thread& t) { return t.name[0] ? t.name : nullptr; }

}  // namespace jostle

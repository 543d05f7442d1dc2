// The C library's own versions of what Jostle interposes.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

namespace jostle::real {

#define JOSTLE_REAL(ret, name, params, version) extern ret(*name) params;
#include "runtime/real.def"
#undef JOSTLE_REAL

// Not among them: it needs none of them, and they need it.
using Dlsym = void* (*)(void*, const char*);
Dlsym original_dlsym();

// Looks all of them up. Interposers may be called before any constructor ran, so each goes
// through here first; after the first call it is one load and a branch.
void resolve();
extern bool resolved;
// While the delay strategy is on, every call of an uncontrolled thread may be delayed here.
extern bool delaying;
void delay();
inline void ready() {
  if (!resolved) resolve();
  if (delaying) delay();
}
// Names that were not found; for the test.
int missing(const char** names, int room);

}  // namespace jostle::real

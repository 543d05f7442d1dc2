#include "runtime/real.h"

#include <dlfcn.h>

namespace jostle::real {

#define JOSTLE_REAL(ret, name, params, version) ret(*name) params = nullptr;
#include "runtime/real.def"
#undef JOSTLE_REAL

bool resolved = false;

Dlsym original_dlsym() {
  static Dlsym found = nullptr;
  if (!found) found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  if (!found) found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return found;
}

namespace {

void* look_up(const char* name, const char* version) {
  void* p = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return p ? p : original_dlsym()(RTLD_NEXT, name);
}

}  // namespace

void resolve() {
#define JOSTLE_REAL(ret, name, params, version) \
  name = reinterpret_cast<ret(*) params>(look_up(#name, version));
#include "runtime/real.def"
#undef JOSTLE_REAL
  resolved = true;
}

int missing(const char** names, int room) {
  ready();
  int n = 0;
#define JOSTLE_REAL(ret, name, params, version) \
  if (!name && n < room) names[n++] = #name;
#include "runtime/real.def"
#undef JOSTLE_REAL
  return n;
}

}  // namespace jostle::real

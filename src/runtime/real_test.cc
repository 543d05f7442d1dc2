#include "runtime/real.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace jostle::real {
namespace {

TEST(Real, EverySymbolIsFound) {
  const char* names[64] = {};
  const int n = missing(names, 64);
  for (int i = 0; i < n; ++i) ADD_FAILURE() << names[i] << " was not found in the C library";
}

// None of them is our own: an interposer that called itself would never come back.
TEST(Real, NoneIsAnInterposer) {
  ready();
  Dl_info program = {};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&resolve), &program), 0);
#define JOSTLE_REAL(ret, name, params, version)                           \
  if (Dl_info at = {}; dladdr(reinterpret_cast<void*>(name), &at) != 0) { \
    EXPECT_NE(at.dli_fbase, program.dli_fbase) << #name;                  \
  }
#include "runtime/real.def"
#undef JOSTLE_REAL
}

}  // namespace
}  // namespace jostle::real

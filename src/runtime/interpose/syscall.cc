// syscall(): how libstdc++ and others reach futexes.
#include <unistd.h>

#include <cstdarg>

#include "runtime/creation.h"
#include "runtime/interpose/interpose.h"
#include "runtime/system_call.h"

using namespace jostle;

JOSTLE_EXPORT long syscall(long number, ...) noexcept {
  va_list args;
  va_start(args, number);
  SystemCall c{number, {}, JOSTLE_CALLER};
  for (long& a : c.a) a = va_arg(args, long);
  va_end(args);
  Thread* t = self();
  const long r = !t                          ? pass_system_call(c)
                 : creation::is_call(number) ? creation::call(c, nullptr)
                                             : model_system_call(*t, c);
  if (r < 0 && r > -4096) {
    errno = static_cast<int>(-r);
    return -1;
  }
  return r;
}

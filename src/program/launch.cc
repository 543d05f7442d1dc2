// The first thing that happens in a program that `jostle run` has started: instead of main(), the
// search begins, and main() becomes what each execution does.
#include <dlfcn.h>
#include <jostle/jostle.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "program/direct.h"
#include "program/streams.h"
#include "runtime/attached.h"
#include "runtime/family.h"
#include "runtime/self.h"
#include "runtime/start_point.h"

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main g_main = nullptr;
bool g_waiting = false;  // for jostle_ready()
bool g_early = false;    // executions begin with the constructors of the program, not with main()

// From here on the program is executed again and again; or once, as part of an execution that
// another program has begun.
void begin() {
  g_waiting = false;
  if (jostle::program::in_family()) {
    jostle::start_executions_here([](void*) { jostle::program::take_part(); }, nullptr);
    jostle::family::take_place();
    return;
  }
  jostle::program::allocate_output_buffer();
  jostle::start_executions_here(
      [](void*) {
        const int code = jostle::program::direct();
        std::fflush(nullptr);
        _exit(code);
      },
      nullptr);
}

int program_main(int argc, char** argv, char** envp) {
  if (!g_early) {
    if (!jostle::program::requested()) {
      jostle::attached::attach_program();
      const int code = g_main(argc, argv, envp);
      jostle::attached::leave();
      return code;
    }
    if (!jostle::program::in_family()) {
      jostle::program::start_earlier_if_needed(argv);
      jostle::program::take_request(argv);
    }
    if (jostle::program::starts_later(&begin))
      g_waiting = true;
    else
      begin();
  }
  const int code = g_main(argc, argv, environ);
  if (g_waiting) jostle::program::never_started();
  jostle::exit_after_main(code);
}

}  // namespace

extern "C" {

JOSTLE_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  g_main = main;
  const auto real = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (jostle::program::requested()) jostle::expect_exit();
  if (jostle::program::in_family()) jostle::program::take_request(argv);
  if (jostle::program::starts_early()) {
    g_early = true;
    jostle::program::take_request(argv);
    begin();
  }
  return real(&program_main, argc, argv, init, fini, rtld_fini, stack_end);
}

// For the tool: this program needs nothing preloaded.
JOSTLE_EXPORT const int jostle_runtime_linked = 1;

void jostle_ready(void) {
  if (g_waiting) begin();
}

}  // extern "C"

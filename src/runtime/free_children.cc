#include "runtime/free_children.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>

#include "runtime/system_call.h"

namespace jostle::free_children {
namespace {

constexpr unsigned kMost = 1024;  // in one execution; more stay until they end by themselves
pid_t g_children[kMost];
unsigned g_count = 0;

long wait_for(pid_t child, int options) { return system_call(SYS_wait4, child, 0, options, 0); }

}  // namespace

void started(pid_t child) {
  if (g_count < kMost) g_children[g_count++] = child;
}

void end_all() {
  while (g_count > 0) {
    const pid_t child = g_children[--g_count];
    // An error: the body has waited for it, and the number may be somebody else's by now.
    if (wait_for(child, WNOHANG) != 0) continue;
    system_call(SYS_kill, child, SIGKILL);
    wait_for(child, 0);
  }
}

}  // namespace jostle::free_children

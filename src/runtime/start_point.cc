#include "runtime/start_point.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>

#include "runtime/engine.h"
#include "runtime/own_heap.h"
#include "runtime/self.h"
#include "runtime/switch.h"
#include "runtime/system_call.h"

namespace jostle {
namespace {

Carrier g_carrier;
bool g_set = false;
void (*g_host)(void*) = nullptr;
void* g_argument = nullptr;

void host_entry() {
  g_host(g_argument);
  __builtin_trap();
}

}  // namespace

std::uint32_t threads_here() {
  std::uint32_t n = 0;
  if (DIR* tasks = opendir("/proc/self/task")) {
    while (const dirent* e = readdir(tasks)) n += e->d_name[0] != '.';
    closedir(tasks);
  }
  return n;
}

Carrier* start_carrier() { return g_set ? &g_carrier : nullptr; }

[[gnu::noinline]] void start_executions_here(void (*host)(void*), void* argument) {
  constexpr std::size_t kHostStack = 8u << 20;
  Carrier& c = g_carrier;
  c.fs = thread_pointer();
  c.handle = pthread_self();
  c.self_slot = &t_self;
  c.errno_slot = &errno;
  c.tid = static_cast<int>(system_call(SYS_gettid));
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (1u << 30)) limit.rlim_cur = 1u << 30;
  // From the frame of this call down: what lies above belongs to nobody's loop.
  auto* frame = static_cast<char*>(__builtin_frame_address(0));
  c.top = frame;
  c.stack_size = limit.rlim_cur;
  c.stack_low = frame - limit.rlim_cur + (256 << 10);
  // One thread runs at a time: more arenas would only cost time to make.
  mallopt(M_ARENA_MAX, 1);
  own_heap::start();
  g_set = true;
  g_host = host;
  g_argument = argument;
  auto* memory = static_cast<char*>(map_pages(kHostStack));
  choose_switch()(&c.sp, make_context(memory + kHostStack, &host_entry), c.fs);
  // T0 of an execution.
  g_engine->release_quarantine();
}

}  // namespace jostle

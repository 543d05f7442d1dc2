// Threads as fibers: all on the kernel thread that called run().
#include "runtime/backend.h"
#include "runtime/signal_model.h"
#include "runtime/switch.h"
#include "runtime/trap.h"

namespace jostle {
namespace {

SwitchFunction g_switch = nullptr;
void* g_host_sp = nullptr;
std::uint64_t g_host_fs = 0, g_host_blocked = 0;

void switch_to(Thread& from, Thread& to) {
  Carrier& f = carrier_of(from);
  Carrier& c = carrier_of(to);
  if (JOSTLE_UNLIKELY(f.blocked != c.blocked)) set_kernel_mask(c.blocked);
  g_switch(&f.sp, c.sp, c.fs);
  if (JOSTLE_UNLIKELY(from.interrupted)) handle_signals(from);
}

void leave(Thread& from) {
  Carrier& f = carrier_of(from);
  if (f.blocked != g_host_blocked) set_kernel_mask(g_host_blocked);
  g_switch(&f.sp, g_host_sp, g_host_fs);
}

void prepare(Thread&, Carrier& c, void (*entry)()) { c.sp = make_context(c.top, entry); }

void run(Thread& first) {
  if (!g_switch) g_switch = choose_switch();
  g_host_fs = thread_pointer();
  Carrier& c = carrier_of(first);
  g_host_blocked = c.blocked;
  g_switch(&g_host_sp, c.sp, c.fs);
}

void settle(CarrierPool&) {}

}  // namespace

const Carriage& fiber_carriage() {
  static const Carriage c = {
      {&switch_to, &leave, &capture_stack, &known_stack, &frame_of, &thread_state, &watch_writes},
      &prepare,
      &run,
      &settle};
  return c;
}

}  // namespace jostle

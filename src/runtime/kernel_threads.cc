// Threads as kernel threads: one runs, the others sleep on a futex of their own.
#include <sys/syscall.h>

#include <csignal>

#include "runtime/backend.h"
#include "runtime/self.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/start_point.h"
#include "runtime/switch.h"
#include "runtime/system_call.h"
#include "runtime/trap.h"

namespace jostle {
namespace {

int g_host_go = 0;
// In a whole program T0 is the kernel thread that the host is on: it waits for both.
constexpr int kBackToHost = 3;
void* g_host_sp = nullptr;
SwitchFunction g_switch = nullptr;

bool adopted(const Carrier& c) { return &c == start_carrier(); }
void back_to_host(Carrier& c) {
  void* abandoned;
  g_switch(&abandoned, g_host_sp, c.fs);
}

void hand_over(int& go) {
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  futex_wake_one(&go);
}

void wait_turn(Carrier& c) {
  for (;;) {
    const int go = __atomic_load_n(&c.go, __ATOMIC_ACQUIRE);
    if (go == 1) break;
    if (go == 2) _longjmp(c.base, 1);
    if (go == kBackToHost) back_to_host(c);
    futex_sleep(&c.go, 0);
  }
  __atomic_store_n(&c.go, 0, __ATOMIC_RELEASE);
}

void switch_to(Thread& from, Thread& to) {
  Carrier& f = carrier_of(from);
  if (from.finished && !adopted(f)) {
    // Parked first: the next one may end the execution, and this carrier be used again.
    f.next = &carrier_of(to);
    _longjmp(f.base, 1);
  }
  hand_over(carrier_of(to).go);
  wait_turn(f);
  if (from.interrupted) handle_signals(from);
}

void leave(Thread& from) {
  Carrier& c = carrier_of(from);
  if (adopted(c)) back_to_host(c);
  c.next = nullptr;
  _longjmp(c.base, 1);
}

void prepare(Thread&, Carrier& c, void (*entry)()) { c.sp = reinterpret_cast<void*>(entry); }

void run(Thread& first) {
  if (Carrier& c = carrier_of(first); adopted(c)) {
    if (!g_switch) g_switch = choose_switch();
    c.go = 0;
    g_switch(&g_host_sp, c.sp, c.fs);
    return;
  }
  hand_over(carrier_of(first).go);
  while (__atomic_load_n(&g_host_go, __ATOMIC_ACQUIRE) == 0) futex_sleep(&g_host_go, 0);
  g_host_go = 0;
}

// From a thread that is parked again.
void give_way(Carrier* next) {
  if (next) return hand_over(next->go);
  Carrier* t0 = start_carrier();
  if (!t0) return hand_over(g_host_go);
  __atomic_store_n(&t0->go, kBackToHost, __ATOMIC_RELEASE);
  futex_wake_one(&t0->go);
}

void settle(CarrierPool& pool) {
  for (std::uint32_t i = 0; i < pool.used(); ++i) {
    Carrier& c = *pool.at(i);
    if (__atomic_load_n(&c.inside, __ATOMIC_ACQUIRE) == 0) continue;
    __atomic_store_n(&c.go, 2, __ATOMIC_RELEASE);
    futex_wake_one(&c.go);
    while (__atomic_load_n(&c.inside, __ATOMIC_ACQUIRE) == 1) futex_sleep(&c.inside, 1);
  }
}

}  // namespace

void kernel_thread_go(Carrier& c) {
  __atomic_store_n(&c.go, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&c.inside, 1, __ATOMIC_RELEASE);
  if (_setjmp(c.base) == 0) {
    if (!c.alternate_stack) c.alternate_stack = install_alternate_stack();
    // Parked, it takes no signals; running the program, it takes the program's.
    set_kernel_mask(c.blocked);
    arm_trap(&c.selector);
    c.selector = kTrapOn;
    reinterpret_cast<void (*)()>(c.sp)();
  }
  c.selector = kTrapOff;
  set_kernel_mask(~0ull);
  const bool gave_up = __atomic_load_n(&c.go, __ATOMIC_ACQUIRE) == 2;
  Carrier* next = c.next;
  __atomic_store_n(&c.go, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&c.inside, 0, __ATOMIC_RELEASE);
  if (gave_up)
    futex_wake_one(&c.inside);
  else
    give_way(next);
}

const Carriage& kernel_thread_carriage() {
  static const Carriage c = {
      {&switch_to, &leave, &capture_stack, &known_stack, &frame_of, &thread_state, &watch_writes},
      &prepare,
      &run,
      &settle};
  return c;
}

}  // namespace jostle

// Signals that controlled threads send to each other. Each thread has its own mask and its own
// pending signals, although as fibers they share a kernel thread: that has the mask of whoever
// runs. What is sent to the process while all of them block it, and what comes from outside, stays
// with the kernel.
#pragma once

#include <csignal>
#include <cstdint>

#include "runtime/carrier.h"

namespace jostle {

constexpr std::uint64_t signal_bit(int number) { return 1ull << (number - 1); }

// Of the kernel thread that runs. What it lets through is handled before this returns.
void set_kernel_mask(std::uint64_t mask);
std::uint64_t kernel_mask();

// t's mask is now this one; the kernel thread's is, or will be as soon as the trap is left.
void mask_changed(Thread& t, std::uint64_t mask);

// How it was sent: si_code and si_value of its siginfo_t.
struct SignalValue {
  int code;
  sigval value;
};
// What the system calls return: 0 or a negative errno.
long send_signal(Thread& by, Thread& to, int number, std::uint64_t pc,
                 SignalValue value = {SI_TKILL, {}});
long send_signal_to_process(Thread& by, int number, std::uint64_t pc,
                            SignalValue value = {SI_USER, {}});
bool is_ignored(int number);
// Nobody handles it, and it is not ignored.
bool ends_the_program(int number);
// Whatever t waits for, it leaves that, and when it is picked, handle_signals() comes first.
void interrupt(Thread& t);
// By t itself, which was picked: see model::interrupt(). Runs its handlers.
void handle_signals(Thread& t);

// What t would get if it blocked nothing.
std::uint64_t pending_signals(const Thread& t);
// One of `set` that was sent to t, as sigtimedwait() gives it; 0 if there is none.
int take_signal(Thread& t, std::uint64_t set, siginfo_t* info);
// Handlers of what was sent to t, and `mask` does not block, run now; false if there was nothing.
bool handle_pending(Thread& t, std::uint64_t mask);

// Signals that have come while all of them were blocked, as if they were sent now; `here` runs.
void take_arrived_signals(Thread& here);

}  // namespace jostle

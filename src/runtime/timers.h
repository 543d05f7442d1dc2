// Timers on virtual time: alarm(), setitimer(ITIMER_REAL), timer_create() and its relatives,
// timerfd. A thread of our own, T<n> (timers), sleeps until the next of them is due: so when it
// fires is a decision of the schedule like any other. One whose signal would end the program fires
// only when nobody else can go on.
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>

#include "runtime/system_model.h"

namespace jostle::timers {

// Does a timer belong to this call? Then its result as the kernel would give it.
bool is_call(const SystemCall& c);
long call(Thread& t, const SystemCall& c);

// timer_create(), also for SIGEV_THREAD, which the C library makes of threads that nobody sees.
int create(Thread& t, int clock, const sigevent* event, timer_t* out);

// The running thread makes no steps, for that many seconds. Calls the handler of a signal whose
// timer has run out in real time.
void no_steps_for(Thread& running, double seconds);

// The program has read from a descriptor: adds to `count` what it has missed, if it is a timer's.
void was_read(int fd, std::uint64_t& count);

// At the end of each execution: none that it has set is left.
void forget();

}  // namespace jostle::timers

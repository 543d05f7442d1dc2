// Instructions that tell a program something that no execution can repeat: the time stamp counter,
// and random numbers of the processor's own.
#pragma once

#include <csignal>
#include <string_view>

namespace jostle {

// A library that comes with the compiler or the C library, or Jostle's own: it has such
// instructions, and memory, for purposes of its own, which are controlled elsewhere.
bool belongs_to_system(std::string_view path);
// Looks for them in the program and its own libraries, once for all processes that come of this
// one. True: there are random numbers, which cannot be kept from it.
bool look_for_instructions();
// In a process that executes the program: from now on the time stamp counter, if the program reads
// it, shows virtual time.
void control_instructions();
// The calling kernel thread's children inherit that, and other programs do not expect it.
void leave_instructions();
// True: the signal was raised by such a read, which has now been made.
bool read_time_stamp(const siginfo_t& info, void* context);

}  // namespace jostle

// What a program reads and prints: its input is the same for every execution, its output is kept
// in memory and shown for the execution that fails.
#pragma once

#include <jostle/options.hpp>
#include <string>

#include "base/expected.h"
#include "events/outcome.h"

namespace jostle::program {

// What the first output of every execution would do, once: it takes a system call.
void allocate_output_buffer();

// Once, before any other process is made. The error: the expected output cannot be read.
Expected<bool> prepare_streams(const Options& o);
// In a process that executes. `shown`: shown_output() of the process that called
// prepare_streams() is to be this process's.
void enter_streams(bool shown);
// Before each execution: nothing printed yet. The input's position is put back with all others.
void rewind_streams();
// After one that failed: what stands in the buffer of standard output is of interest, too.
void keep_unwritten_output();
// After each: if the output is not the expected, the outcome says so.
void check_output(const Options& o, Outcome& outcome);
// For a program that is started anew by this process: its standard streams, and where `shown` ones
// go, as words at the end of a request and from there.
void hand_on_streams();
std::string shown_streams();
void adopt_streams(const std::string& request);
// The current folder, as a descriptor out of the way.
int open_folder();
// What the last execution of a process with `shown` has printed.
std::string shown_output();

}  // namespace jostle::program

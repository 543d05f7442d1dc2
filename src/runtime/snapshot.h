// Putting a process back to where it was.
//
// A whole program is executed again and again in one process. Before each execution everything
// that the last one changed is put back: the bytes of all writable memory that is not Jostle's, new
// mappings, descriptors and their positions, signal handlers, the working directory. Pages that no
// execution has written yet are write-protected, so only what is really used is copied. What the
// snapshot cannot put back is noticed when it happens: then the answer is a process for each
// execution, and the reason is told.
#pragma once

#include <cstdint>

#include "runtime/carrier.h"
#include "runtime/system_model.h"

namespace jostle::snapshot {

// Remembers this process as it is. False if that cannot be done: see trouble().
bool take();
bool taken();
// Puts back what has changed since take(). Not while a controlled thread runs.
void restore();
// The part of it that other processes notice: nobody else can have a port that is still open here.
void restore_descriptors();
// Why executions after the last one would not start as they should; "" if they would.
const char* trouble();
void not_restorable(const char* what);

// A carrier that was made after take(): its thread-control block is part of what is put back.
void add_carrier(const Carrier& c);

// A write to a protected page? Then it is let through, and true.
bool on_fault(std::uint64_t address);
// The call is going to fill memory, as much as it gets: a page that is still protected would make
// it stop there, and look like a short read.
void open_buffers(const SystemCall& call);
// The kernel would not write there: unprotects so many pages from where each argument points to.
// False if none of them was protected.
bool open_for(const SystemCall& call, unsigned pages);
// A system call that was carried out for the program.
void performed(const SystemCall& call, long result);

struct Counts {
  std::uint64_t restores, pages, faults;
};
Counts counts();

}  // namespace jostle::snapshot

// A process whose threads a script in another process watches. They run by themselves, all at the
// same time; one that comes to an event at which the script wants it to stop waits there.
//
// Nothing of this costs more than a look at one variable where no script is.
#pragma once

#include "events/board.h"
#include "events/kinds.h"

namespace jostle::attached {

extern bool on __attribute__((visibility("hidden")));

// Makes this process one that is watched, if the environment says so.
void attach_program();
// The same in a process that the driver has forked.
void attach_client(Board& board);
// The calling thread is at its end.
void leave();

void event_slow(EventKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc);
// The calling thread is about to do that.
[[gnu::always_inline]] inline void event(EventKind kind, std::uint64_t address, std::uint64_t pc,
                                         std::uint32_t size = 0) {
  if (__builtin_expect(on, false)) event_slow(kind, address, size, pc);
}
void enter_function(std::uint64_t pc);
void leave_function(std::uint64_t pc);
// For pthread_create: what the new thread is to do, so that it tells of its start and its end.
void* (*wrap(void* (*start)(void*), void*& argument))(void*);
// The program says itself what is wrong.
void failed(int kind, const char* message, const char* file, unsigned line);

}  // namespace jostle::attached

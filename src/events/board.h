// What a script in one process and the threads of others know of each other: memory that all of
// them share. One place for each thread; what is written there by whom, and when:
//
//   its thread   the event, then `at` = 1; waits while that is so
//   the driver   `stops`, at any time; `at` = 0 when the thread may go on
//
// Whoever has something to tell raises `news`, on which the driver sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/types.h"
#include "events/registers.h"

namespace jostle {

struct Board {
  static constexpr std::uint32_t kThreads = kMaxThreads, kProcesses = 256, kDepth = 256;
  // In `size`, for the start and the end of a thread: whose thread it is.
  enum : std::uint32_t { kCreated = 0, kMainThread = 1, kClient = 2 };

  struct Process {
    std::atomic<int> pid;     // 0: nobody's place
    std::atomic<int> parent;  // the process by which it was made
    std::atomic<int> failed;  // futex; 1: what follows is known, and the driver does not know
    int kind;                 // a FindingKind
    std::uint64_t pc;         // of a crash
    char message[400];
  };

  // A process that the script has started, whether it takes part or not.
  struct Start {
    std::atomic<int> pid;
    std::atomic<int> ended;  // 1: what follows is known
    int status;              // as waitpid() says
    int error;               // why the program could not be started
  };

  struct Slot {
    std::atomic<int> tid;              // 0: nobody's place
    std::atomic<std::uint64_t> stops;  // kinds of events before which it stops
    std::atomic<int> at;               // futex; 1: before the event that follows
    std::atomic<int> ended;
    std::uint32_t process;
    std::uint8_t kind;
    std::uint32_t size;
    std::uint64_t address, pc;
    char text[64];                     // of a control point
    Registers registers;               // where a function begins or ends, if the script asks
    std::atomic<std::uint32_t> depth;  // of calls; deeper ones are counted, but not kept
    std::uint64_t calls[kDepth];       // places of the hooks, outermost first
  };

  std::uint32_t version;
  std::atomic<int> news;                     // futex
  std::atomic<int> asleep;                   // the driver
  std::atomic<int> arguments, results;       // 1: the script asks for those of functions
  std::atomic<std::uint64_t> unknown_stops;  // `stops` of a thread that begins
  std::atomic<std::uint32_t> used_slots, used_processes;  // those behind were never anybody's
  Process processes[kProcesses];
  Start starts[kProcesses];
  Slot slots[kThreads];
};

// Of all that is above, and of the kinds of events by their numbers: who has another one cannot
// take part.
constexpr std::uint32_t board_version() {
  std::uint32_t h = sizeof(Board);
  for (const char* c =
#define JOSTLE_EVENT(name, text, cls) #name " "
#include "events/event_kinds.def"
#undef JOSTLE_EVENT
           ; *c; ++c)
    h = h * 31 + static_cast<unsigned char>(*c);
  return h;
}
inline constexpr std::uint32_t kBoardVersion = board_version();

// Where a process that belongs to a system finds the board.
inline constexpr const char* kBoardVariable = "JOSTLE_INTERNAL_SYSTEM";

}  // namespace jostle

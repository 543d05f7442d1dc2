// What the command line tool asks of a process that it starts, besides the options. Read from the
// environment once: a whole program does not get to see it.
#pragma once

#include <string>

namespace jostle::explore {

struct Requests {
  std::string result;     // JOSTLE_INTERNAL_RESULT: file for the verdict on a replay
  bool minimize;          // JOSTLE_INTERNAL_MINIMIZE: shorten what is replayed
  bool explain;           // JOSTLE_INTERNAL_EXPLAIN: show the nearest schedule that passes
  std::string script;     // JOSTLE_INTERNAL_SCRIPT: file for the schedule as a script
  std::string spawned;    // JOSTLE_INTERNAL_SPAWNED: what another process wants, see spawn.h
  bool here;              // JOSTLE_INTERNAL_HERE: execute in this process, for a debugger
  std::string exec;       // JOSTLE_INTERNAL_EXEC: file for what a whole program becomes
  std::string directory;  // JOSTLE_INTERNAL_DIRECTORY: where a whole program was started
};
const Requests& requests();

}  // namespace jostle::explore

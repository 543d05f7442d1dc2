// Starting the program that a schedule was made with.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "cli/commands.h"
#include "events/schedule.h"

namespace jostle::cli {

// How following a schedule went, as the program's run() reported it: see explore/replaying.h.
struct Replayed {
  std::string verdict;  // reproduced, other, passed, diverged, unusable; "" = no run reported
  std::string grade;    // how exactly the schedule could be followed
  std::string saved;    // minimised schedule
  int status = 0;       // of the process, as waitpid() gives it
};

struct Start {
  std::string schedule;                // path of the file
  std::vector<std::string> extra;      // arguments after the recorded ones
  std::vector<std::string> variables;  // "NAME=value", on top of our environment
  bool silent = false;                 // what the program prints is thrown away
};

// The current directory; "" if it is gone.
std::string here();
// In which the schedule's program is to be started: the one that it was recorded in. If that is
// gone, this is said, and it is this one.
std::string directory_for(const Schedule& s);

// Runs the schedule's program with its arguments and waits for its end. The error says why the
// program could not be started.
Expected<Replayed> run_recorded(const Schedule& s, const Start& start);

// What to return and, unless the program said it already, to say.
ExitCode conclude(const Schedule& s, const Replayed& r);

// A directory of our own, removed with all that is in it.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace jostle::cli

// Processes that carry out work for a search: told by a byte that there is some, answering with a
// byte that it is done.
#pragma once

#include <sys/types.h>

#include <functional>

#include "explore/session.h"

namespace jostle::explore {

// What is to be said of a process that ended although nobody asked it to.
Problem death_of(int status, bool stuck);

// Is there something to be read, within so many milliseconds?
bool ready(int fd, int milliseconds);

// How long a process may show no sign of progress before it is beyond its own watch.
class Patience {
 public:
  explicit Patience(const Session& session)
      : limit_(session.options.timeout > 0 ? session.options.timeout * 2 + 5 : 1e9) {}
  // `progress`: a number that changes as long as there is some.
  bool over(std::uint64_t progress);
  bool is_over() const { return over_; }

 private:
  double limit_, since_ = 0;
  std::uint64_t seen_ = 0;
  bool over_ = false;
};

struct WorkerProcess {
  pid_t pid = -1;
  int down = -1, up = -1;

  // `serve` gets the ends of two pipes and does not return. Without a process (there are too many
  // already) everything else does nothing; it is told here.
  void start(const std::function<void(int down, int up)>& serve);
  bool alive() const { return pid > 0; }
  void kill() const;
  bool tell();    // that there is work; false: the process has ended
  bool answer();  // waits for the byte; false: the process has ended
  int end();      // kills it, and returns its status
};

}  // namespace jostle::explore

// Ctrl-C, and being asked to end, in the middle of a search: it stops, and what it has done is
// told.
#pragma once

namespace jostle::explore {

// True once SIGINT or SIGTERM has arrived while an Interruptible lived.
bool interrupted();

// While it lives, SIGINT and SIGTERM end the search instead of the process. They stay as they are
// where the program has said what they mean.
class Interruptible {
 public:
  Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  // Puts the handlers back; does not send the signal again.
  ~Interruptible();
  int signal() const;  // that has arrived; 0 = none
};

}  // namespace jostle::explore

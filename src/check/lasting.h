// What steps touch, named so that it means the same in every execution, whichever process made it:
// stacks, heap blocks and loaded files lie elsewhere there, and threads have other numbers.
#pragma once

#include <vector>

#include "sched/step_log.h"

namespace jostle::checking {

class Lasting {
 public:
  Lasting();

  // Of that execution, until the next one is read. `names` of its threads.
  void read(const StepLog& log, const std::vector<ThreadId>& names) {
    log_ = &log;
    names_ = &names;
    sorted_ = false;
  }
  Access operator()(Access a);

 private:
  static const Area* find(const std::vector<const Area*>& areas, Address a);

  const StepLog* log_ = nullptr;
  const std::vector<ThreadId>* names_ = nullptr;
  bool sorted_ = false;
  // By where they begin.
  std::vector<const Area*> areas_, loaded_;
  std::vector<Area> files_;  // that were loaded when the search began
};

}  // namespace jostle::checking

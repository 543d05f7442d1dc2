// Which functions each controlled thread is in, from the hooks at their beginnings and ends. Works
// on the stacks of those threads: allocates nothing but at a function's first call.
#pragma once

#include <vector>

#include "base/mapped.h"
#include "sched/thread.h"

namespace jostle::scripts {

class Calls {
 public:
  Calls();
  // No thread has begun.
  void reset();
  // `pc` is the place of the hook; gives where the function begins.
  Address enter(Thread& t, std::uint64_t pc);
  // The function that the thread is in: at its end the hook's place does not tell, because the hook
  // may have been jumped to from the last instruction. 0: not known.
  Address innermost(const Thread& t) const;
  void leave(const Thread& t);
  // Is the thread in one of these functions, or in what they have called? `starts` is sorted.
  bool inside(ThreadId t, const std::vector<Address>& starts) const;

 private:
  Address function_of(Thread& t, std::uint64_t pc);

  // Calls nested deeper are counted, but not known.
  static constexpr std::uint32_t kDepth = 1024;
  struct Stack {
    std::uint32_t depth;
    Address function[kDepth];
  };
  struct Known {
    std::uint64_t pc;
    Address function;
  };
  static constexpr std::size_t kKnown = 1u << 16;  // places: open addressing
  MappedVector<Stack> stacks_;
  MappedVector<Known> known_;
  std::uint32_t threads_ = 0;  // stacks in use
};

}  // namespace jostle::scripts

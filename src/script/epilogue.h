// What a function is about to return. When the hook before its end is called, the value lies
// somewhere in the frame or in a register that calls leave alone, and nothing says where; but the
// few instructions from there to the `ret` bring it to its place, and they can be followed.
#pragma once

#include <functional>
#include <string>

#include "events/registers.h"

namespace jostle::scripts {

struct Returned {
  std::string problem;  // not "": it cannot be told, and why
  std::uint64_t value = 0;
};

// `registers` belong to where the hook returns to. `read` copies memory of the process, code
// included; false: there is none. Only the low `bytes` of the value count.
Returned follow_to_return(const Registers& registers, std::uint64_t bytes,
                          const std::function<bool(Address, std::uint64_t, void*)>& read);

}  // namespace jostle::scripts

// Stopping at the entry of a function of a program that knows nothing about it.
#pragma once

#include <string>

#include "base/expected.h"

namespace jostle::program {

// The first time that the function is entered, `reached` is called before it, with all registers as
// they were. The name may be that of the source ("serve", "Server::run") or of the linker.
Expected<bool> call_at(const std::string& function, void (*reached)());

}  // namespace jostle::program

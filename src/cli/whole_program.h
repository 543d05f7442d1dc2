// What it takes to start somebody's program under control.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace jostle::cli {

// The path of a program that can be started under control: looked up as a shell would. The error
// says why it cannot.
Expected<std::string> find_program(const std::string& word);

// libjostle_program.so, where it was built or installed along with this command; "": it is missing.
std::string program_library();

// Adds the variables that make the program's process search, instead of just running.
// `directory`: where it will be started.
Expected<bool> make_controlled(const std::string& program, const std::string& directory,
                               std::vector<std::string>& variables);

}  // namespace jostle::cli

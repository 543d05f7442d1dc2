// Starting a program and seeing it off.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace jostle::cli {

// Runs words[0] with the rest as arguments and `variables` ("NAME=value") on top of our
// environment, without address randomisation, in `directory` and with standard input from the file
// `input` where these are named.
// Waits for its end and for everything that it started: what is left is killed. Gives the status as
// waitpid() does; the error says why it could not be started.
Expected<int> run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& variables, bool silent = false,
                          const std::string& input = "", const std::string& directory = "");

// The signal that ended the program of the last run_process(), if it was one that asks a process to
// end; else 0.
int interrupted_by();

}  // namespace jostle::cli

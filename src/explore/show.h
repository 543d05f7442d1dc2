// Where the text of a run goes.
#pragma once

#include <cstddef>
#include <string>

namespace jostle::explore {

// `asked_for`: the report is what the command is there for, and goes to standard output, errors
// aside. Otherwise standard output is the program's, and all of it goes to standard error.
void show_report(const std::string& report, bool asked_for);

// Columns of the terminal behind it; 0: it is none, or does not tell.
std::size_t terminal_width(int fd);

}  // namespace jostle::explore

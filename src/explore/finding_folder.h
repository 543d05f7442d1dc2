// What is kept of a finding of a whole program, besides its schedule.
#pragma once

#include <string>

#include "base/expected.h"
#include "report/view.h"

namespace jostle::explore {

// Writes to `folder`: report.txt as shown, trace.txt with every operation, stacks.txt with where
// each thread was, and output.txt with all that was printed, if anything was.
Expected<bool> fill_folder(const std::string& folder, report::View& view, const std::string& text,
                           const std::string& printed);

}  // namespace jostle::explore

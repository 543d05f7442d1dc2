// Why std::terminate() was called, as far as the place of the call tells.
#pragma once

#include <string>
#include <vector>

#include "events/outcome.h"
#include "report/symbols.h"

namespace jostle::explore {

// `message` is what the runtime says, `frames` are those at the call, inlined ones first.
std::string terminate_message(const std::string& message, const std::vector<report::Frame>& frames);

// Puts that into a problem; others stay as they are.
void explain_terminate(Problem& p, report::Symbols& symbols);

}  // namespace jostle::explore

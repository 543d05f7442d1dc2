// What a run leaves for the files of json, junit, sarif and perfetto.
#pragma once

#include <jostle/jostle.hpp>
#include <map>

#include "base/expected.h"
#include "explore/session.h"
#include "report/steps.h"

namespace jostle::explore {

// Beside the Result, which is made for users: only there if a file was asked for.
struct Recorded {
  std::map<std::string, report::Steps> steps;  // of each finding, by fingerprint
  std::uint64_t fresh = 0;                     // executions in processes of their own
};

// Adds the run to the files that its options ask for.
Expected<bool> write_results(const Session& session, const Result& result);

}  // namespace jostle::explore

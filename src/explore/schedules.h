// Between executions and schedule files.
#pragma once

#include "base/expected.h"
#include "events/schedule.h"
#include "explore/session.h"
#include "report/view.h"

namespace jostle::explore {

// Of the running program: "5fd3c1..." or "".
std::string build_id();
// The name of a run as part of the name of a file.
std::string file_name_of(const std::string& run);
std::string program_path();
std::vector<std::string> program_arguments();  // without the program's name

// `promoted` holds return addresses of this process.
Schedule make_schedule(const Session& session, report::View& view, std::uint32_t patience,
                       const std::vector<std::uint64_t>& promoted);

// For a schedule of this very build.
std::vector<Deviation> deviations_of(const Schedule& s);
// The same departures looked up by their anchors instead, in a recorded default execution of a
// program that has changed.
std::uint64_t path_hash(const std::string& path);

}  // namespace jostle::explore

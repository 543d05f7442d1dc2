// Results as text of some format, one file each. All runs of a process go into one text.
#pragma once

#include <span>
#include <string>

#include "report/results.h"

namespace jostle::report {

std::string to_json(std::span<const RunResults> runs);      // docs/json.md
std::string to_junit(std::span<const RunResults> runs);     // as Jenkins, GitLab and others read it
std::string to_sarif(std::span<const RunResults> runs);     // SARIF 2.1.0
std::string to_perfetto(std::span<const RunResults> runs);  // trace events, for ui.perfetto.dev

}  // namespace jostle::report

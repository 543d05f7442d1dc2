// The files that the options json, junit, sarif and perfetto ask for.
#pragma once

#include <jostle/options.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/expected.h"
#include "report/results.h"

namespace jostle::report {

// Does any option ask for results?
bool wants_results(const Options& o);

// A file holds all runs of this process that named it: it is written anew with each of them, as a
// whole or not at all.
class ResultFiles {
 public:
  // Adds the run to the files that its options name. The error names those that could not be
  // written.
  Expected<bool> add(const Options& o, const RunResults& run);

 private:
  std::map<std::string, std::vector<RunResults>> runs_;  // by format and path
};

// The directory that paths in results are relative to: the working copy that the current directory
// lies in (the nearest with a .git), or the current directory.
std::string source_root();

}  // namespace jostle::report

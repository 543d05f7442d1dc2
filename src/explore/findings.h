// From a failing plan to a finding that can be shown: confirmed, minimised, saved, rendered.
#pragma once

#include <jostle/jostle.hpp>

#include "explore/executor.h"
#include "report/suppress.h"
#include "report/symbols.h"

namespace jostle::explore {

class Findings {
 public:
  Findings(const Session& session, Executor& executor) : session_(session), executor_(executor) {}

  Expected<bool> load_filters();

  // Adds the failure of `plan` to the result, unless it is known or suppressed. The assignment's
  // sites and profile must be those of the plan. False if it was filtered out.
  bool add_failure(Result& result, const Plan& plan, const Problem& seen, std::uint64_t execution);
  bool add_race(Result& result, const Plan& plan, const Problem& race, std::uint64_t execution);

  // A finding about an execution that was followed from a schedule file.
  Finding describe(const Trace& trace, const Problem& p, const std::string& schedule_path,
                   const std::vector<std::string>& notes);
  report::Symbols& symbols() { return symbols_; }

 private:
  double time_to_tell() const;
  // Has the time for telling passed? Not before the first.
  bool too_late();
  Fresh confirm(const Plan& plan, const Problem& seen, double until, std::uint32_t& reproduced,
                std::uint32_t& tried);
  bool filtered(const report::FindingInfo& info) const;
  std::string save(const Trace& trace, Finding& f);

  const Session& session_;
  Executor& executor_;
  report::Symbols symbols_;
  report::Suppressions built_in_, suppressions_;
  report::Baseline baseline_;
  std::vector<std::string> known_;
  bool looked_at_one_ = false;
  std::vector<Problem> dealt_with_;  // failures that were reported or filtered out
};

// How to make the same failure happen again: a command to paste.
std::string replay_command(const Session& session, const std::string& schedule_path);

// Globals of the program that earlier executions have changed: names, for the report.
std::vector<std::string> changed_globals(pid_t pristine, report::Symbols& symbols);

}  // namespace jostle::explore

// From a failing plan to a finding that can be shown: confirmed, minimised, saved, rendered.
#pragma once

#include <jostle/jostle.hpp>

#include "explore/executor.h"
#include "explore/filters.h"
#include "report/fingerprint.h"
#include "report/symbols.h"

namespace jostle::explore {

// So many in one run are enough for anybody.
inline constexpr std::size_t kMostFindings = 25;

class Findings {
 public:
  Findings(const Session& session, Executor& executor) : session_(session), executor_(executor) {}

  Expected<bool> load_filters();

  // Adds the failure of `plan` to the result's findings, or to those that are accepted because the
  // baseline knows them, unless it is suppressed or was told before. The assignment's sites and
  // profile must be those of the plan. True if it is a finding.
  bool add_failure(Result& result, const Plan& plan, const Problem& seen, std::uint64_t execution);
  bool add_race(Result& result, const Plan& plan, const Problem& race, std::uint64_t execution);

  // By the search that this one goes on with.
  void told_before(const Finding& f) { filters_.told(f.fingerprint); }

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
  // One that the baseline knows is noted in the result.
  bool filtered(Result& result, report::View& view, const Problem& p, std::uint64_t execution);
  Finding outline(report::View& view, const Problem& p);
  std::string save(const Trace& trace, Finding& f);

  const Session& session_;
  Executor& executor_;
  report::Symbols symbols_;
  Filters filters_;
  bool looked_at_one_ = false;
  std::vector<Problem> dealt_with_;  // failures that were reported or filtered out
};

// The end of what a complete search promises: nothing fails, or nothing but the races that were
// found. `raced`: some were, though the user may not want to hear of them. `provided`: see Session.
std::string verdict_on_rest(const Result& result, bool raced, const std::string& provided);

// "race in Logger::write at log.cc:14: ...", for one that needs no report.
std::string one_line(const Finding& f);

// How to make the same failure happen again: a command to paste.
std::string replay_command(const Session& session, const std::string& schedule_path);

// Globals of the program that earlier executions have changed: names, for the report.
std::vector<std::string> changed_globals(pid_t pristine, report::Symbols& symbols);

}  // namespace jostle::explore

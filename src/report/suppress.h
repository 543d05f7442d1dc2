// Findings that a user does not want to hear about: by pattern (suppressions), or because they
// are known (a baseline).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "report/fingerprint.h"

namespace jostle::report {

// Does `text` match `pattern`, in which '*' stands for any characters? Case matters.
bool matches_pattern(std::string_view pattern, std::string_view text);

// One rule a line; '#' starts a comment line:
//
//     race:Logger::*                                a function, file or variable
//     race:function=Logger::*,variable=log_level    all of them must match
//     *:file=*/third_party/*                        a finding of any kind
//
// A function is compared without template arguments and parameters, a file by its whole path
// and by its base name; a frame anywhere in the finding's stacks will do, and `function` and
// `file` must match the same frame.
class Suppressions {
 public:
  // Errors name the line.
  static Expected<Suppressions> parse(std::string_view text);
  static Expected<Suppressions> load(const std::string& path);

  bool matches(const FindingInfo& finding) const;
  std::size_t size() const { return rules_.size(); }

 private:
  struct Rule {
    FindingKind kind = FindingKind::none;       // none = any
    std::string any, function, file, variable;  // "" = not asked
  };
  static bool matches(const Rule& r, const FindingInfo& finding);
  std::vector<Rule> rules_;
};

// A list of fingerprints with a version line; the comments and empty lines above one belong to it:
//
//     jostle-baseline 2
//     # accepted until the logger is rewritten
//     race|Logger::set@log.cc: level = n;|Logger::write@log.cc: if (level > n) return;
//
// The version grows when fingerprints of an older one would match nothing any more: those of
// version 1 had line numbers.
class Baseline {
 public:
  static Expected<Baseline> parse(std::string_view text);
  static Expected<Baseline> load(const std::string& path);
  // Adds fingerprints to a file that need not exist; what others have put there meanwhile is kept.
  static Expected<bool> add_to(const std::string& path, std::span<const std::string> fingerprints);
  std::string text() const;

  bool contains(const std::string& fingerprint) const { return known_.contains(fingerprint); }
  // One that is there already stays as it is.
  void add(const std::string& fingerprint, const std::string& above = "") {
    known_.try_emplace(fingerprint, above);
  }
  std::size_t size() const { return known_.size(); }

 private:
  // With the lines above each; sorted: a change is a small diff.
  std::map<std::string, std::string> known_;
  std::string head_, tail_;  // lines before the version and after the last fingerprint
};

}  // namespace jostle::report

// Functions and files that the user does not want to be interrupted in.
#include <algorithm>
#include <string>
#include <vector>

#include "explore/session.h"
#include "options/values.h"
#include "report/frames.h"
#include "report/suppress.h"
#include "report/symbols.h"

namespace jostle::explore {
namespace {

std::vector<std::string>& patterns() {
  static auto& p = *new std::vector<std::string>;
  return p;
}

bool matches(const report::Frame& f) {
  for (const std::string& p : patterns())
    if (report::matches_pattern(p, report::short_function(f.function)) ||
        report::matches_pattern(p, f.file) || report::matches_pattern(p, report::base_name(f.file)))
      return true;
  return false;
}

bool sealed(std::uint64_t pc, bool whole_function) {
  static auto& symbols = *new report::Symbols;
  const std::vector<report::Frame>& frames = symbols.frames(pc);
  if (frames.empty()) return false;
  if (whole_function) return matches(frames.back());  // not what was inlined into it
  return std::any_of(frames.begin(), frames.end(), &matches);
}

}  // namespace

void apply_seals(Engine& e, const Options& o) {
  patterns() = option_value::texts_of(o.seal);
  e.seal(patterns().empty() ? nullptr : &sealed);
}

}  // namespace jostle::explore

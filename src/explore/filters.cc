#include "explore/filters.h"

#include <filesystem>

namespace jostle::explore {
namespace {

// Known defects of libraries, which their users can do nothing about.
//   std::atomic<std::shared_ptr> of libstdc++ 12 unlocks with a relaxed operation after a load.
//   Debug information has no class for its functions if the pointer's type is local to a function.
constexpr std::string_view kBuiltIn =
    "race:function=std::_Sp_atomic*\n"
    "race:function=load,file=*/shared_ptr_atomic.h\n"
    "race:function=wait,file=*/shared_ptr_atomic.h\n"
    "race:function=compare_exchange_strong,file=*/shared_ptr_atomic.h\n";

}  // namespace

Expected<Filters> Filters::load(const Options& o) {
  Filters f;
  f.built_in_ = *report::Suppressions::parse(kBuiltIn);
  if (!o.suppressions.empty()) {
    auto s = report::Suppressions::load(o.suppressions);
    if (!s) return Error{s.error()};
    f.suppressions_ = *s;
  }
  if (o.update_baseline && o.baseline.empty())
    return Error{"update-baseline needs option baseline: the file to update"};
  std::error_code none;
  if (o.baseline.empty() || (o.update_baseline && !std::filesystem::exists(o.baseline, none)))
    return f;
  auto b = report::Baseline::load(o.baseline);
  if (!b)
    return Error{b.error() + (std::filesystem::exists(o.baseline, none)
                                  ? ""
                                  : "; with option update-baseline it is made")};
  f.baseline_ = *b;
  return f;
}

Filters::Verdict Filters::judge(const report::FindingInfo& finding) const {
  if (built_in_.matches(finding) || suppressions_.matches(finding) ||
      told_.contains(finding.fingerprint))
    return Verdict::unwanted;
  return baseline_.contains(finding.fingerprint) ? Verdict::known : Verdict::fresh;
}

}  // namespace jostle::explore

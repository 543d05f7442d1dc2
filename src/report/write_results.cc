#include "report/write_results.h"

#include <filesystem>

#include "report/formats/formats.h"
#include "trace/file_io.h"

namespace jostle::report {
namespace {

constexpr struct {
  const char* name;
  std::string Options::* path;
  std::string (*text)(std::span<const RunResults>);
} kFormats[] = {
    {"json", &Options::json, &to_json},
    {"junit", &Options::junit, &to_junit},
    {"sarif", &Options::sarif, &to_sarif},
    {"perfetto", &Options::perfetto, &to_perfetto},
};

}  // namespace

bool wants_results(const Options& o) {
  for (const auto& f : kFormats)
    if (!(o.*f.path).empty()) return true;
  return false;
}

Expected<bool> ResultFiles::add(const Options& o, const RunResults& run) {
  std::string errors;
  for (const auto& f : kFormats) {
    const std::string& path = o.*f.path;
    if (path.empty()) continue;
    std::vector<RunResults>& runs = runs_[f.name + (":" + path)];
    runs.push_back(run);
    if (const auto done = write_file(path, f.text(runs)); !done)
      errors += (errors.empty() ? "" : "; ") + done.error();
  }
  if (!errors.empty()) return Error{errors};
  return true;
}

std::string source_root() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path here = fs::current_path(none);
  for (fs::path at = here; at.has_relative_path(); at = at.parent_path())
    if (fs::exists(at / ".git", none)) return at.string();
  return here.string();
}

}  // namespace jostle::report

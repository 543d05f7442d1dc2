#include "report/source.h"

#include <filesystem>
#include <system_error>

#include "trace/file_io.h"

namespace jostle::report {
namespace {

constexpr std::uint64_t kLimit = 16u << 20;  // generated files of this size help nobody

std::string cleaned(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace

std::string locate_source(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.starts_with("/")) return file;
  std::error_code none;
  for (const fs::path& start : {fs::current_path(none), fs::read_symlink("/proc/self/exe", none)})
    for (fs::path at = start; at.has_relative_path(); at = at.parent_path())
      if (fs::is_regular_file(at / file, none)) return (at / file).string();
  return file;
}

std::string_view Source::line(const std::string& file, std::uint32_t number) {
  if (file.empty() || number == 0) return {};
  const auto [entry, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = entry->second;
  if (is_new) {
    if (const auto text = read_file(locate_source(file), kLimit)) {
      std::string_view rest = *text;
      while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        lines.push_back(cleaned(rest.substr(0, end)));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      }
    }
  }
  return number <= lines.size() ? std::string_view(lines[number - 1]) : std::string_view();
}

}  // namespace jostle::report

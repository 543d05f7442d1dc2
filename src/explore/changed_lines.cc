#include "explore/changed_lines.h"

#include <cstdio>
#include <cstdlib>

namespace jostle::explore {
namespace {

// "@@ -12,3 +14,5 @@": lines 14 to 18 of the new text.
bool parse_hunk(const std::string& line, unsigned& first, unsigned& count) {
  const std::size_t plus = line.find(" +");
  if (!line.starts_with("@@ ") || plus == line.npos) return false;
  char* end = nullptr;
  first = static_cast<unsigned>(std::strtoul(line.c_str() + plus + 2, &end, 10));
  count = *end == ',' ? static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10)) : 1;
  return true;
}

}  // namespace

void ChangedLines::read(const std::vector<std::string>& what) {
  if (read_) return;
  read_ = true;
  for (const std::string& w : what) {
    const std::size_t colon = w.rfind(':');
    const bool lines =
        colon != w.npos && colon + 1 < w.size() && w[colon + 1] >= '0' && w[colon + 1] <= '9';
    if (lines || w.find('.') != w.npos) {
      if (lines) {
        char* end = nullptr;
        const auto first = static_cast<unsigned>(std::strtoul(w.c_str() + colon + 1, &end, 10));
        const unsigned last =
            *end == '-' ? static_cast<unsigned>(std::strtoul(end + 1, nullptr, 10)) : first;
        ranges_.push_back({w.substr(0, colon), first, last});
        continue;
      }
      if (w.find("..") == w.npos && w.find('~') == w.npos) {
        ranges_.push_back({w, 1, ~0u});
        continue;
      }
    }
    std::string command = "git diff --unified=0 '";
    for (const char c : w)
      if (c != '\'') command += c;
    command += "' 2>/dev/null";
    FILE* git = popen(command.c_str(), "r");
    if (!git) continue;
    std::string file, line;
    for (int c; (c = std::fgetc(git)) != EOF;) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      unsigned first = 0, count = 0;
      if (line.starts_with("+++ b/")) file = line.substr(6);
      if (parse_hunk(line, first, count) && count > 0)
        ranges_.push_back({file, first, first + count - 1});
      line.clear();
    }
    pclose(git);
  }
}

bool ChangedLines::has(const std::string& file, unsigned line) const {
  for (const Range& r : ranges_)
    if (file.ends_with(r.file) && line >= r.first && line <= r.last) return true;
  return false;
}

}  // namespace jostle::explore

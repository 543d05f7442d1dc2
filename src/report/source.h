// Lines of source files, for showing them beside events. Files may be missing: a report is also
// read where the program was not built.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace jostle::report {

// Where a source file is. Compilers record the path as it was given on their command line, often
// relative to a build directory that nobody knows any more; the program, or whoever calls, is
// usually near it. As given if there is no such file.
std::string locate_source(const std::string& file);

class Source {
 public:
  // The line without indentation, tabs and control characters; "" if there is none.
  std::string_view line(const std::string& file, std::uint32_t number);

 private:
  std::unordered_map<std::string, std::vector<std::string>> files_;
};

}  // namespace jostle::report

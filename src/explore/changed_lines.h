// Lines of source that were changed: by a range of git's ("HEAD~3", "main..topic"), or named
// ("queue.cc:10-20", "queue.cc").
#pragma once

#include <string>
#include <vector>

namespace jostle::explore {

class ChangedLines {
 public:
  // Reads what is named; once.
  void read(const std::vector<std::string>& what);
  bool has(const std::string& file, unsigned line) const;

 private:
  struct Range {
    std::string file;  // its end
    unsigned first, last;
  };
  bool read_ = false;
  std::vector<Range> ranges_;
};

}  // namespace jostle::explore

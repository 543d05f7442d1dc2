// Text in columns.
#pragma once

#include <string>
#include <string_view>

namespace jostle::report {

// Columns that UTF-8 text takes on a terminal: one per code point, which holds for all that we
// print ourselves.
std::size_t width_of(std::string_view text);
// At most `width` columns; what was cut off is replaced by "…".
std::string clipped(std::string_view text, std::size_t width);
// Exactly `width` columns, or more if the text is longer.
std::string padded(std::string_view text, std::size_t width);

// Broken between words, so that no line has more than `width` columns; those after the first begin
// with `indent` spaces. Ends with a line break.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

enum class Paint { plain, bold, dim, red, yellow, thread };
// Wraps `text` in escape sequences if `on`. Paint::thread takes the colour number `which`.
std::string painted(std::string_view text, Paint paint, bool on, unsigned which = 0);

// "T1", "T1 and T2", "T1, T2 and T3"
template <class Range>
std::string listed(const Range& words) {
  std::string out;
  std::size_t i = 0;
  for (const auto& w : words) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += w;
    ++i;
  }
  return out;
}

}  // namespace jostle::report

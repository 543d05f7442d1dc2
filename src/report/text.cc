#include "report/text.h"

namespace jostle::report {

std::size_t width_of(std::string_view text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string out;
  std::size_t n = 0;
  for (const char c : text) {
    n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (n == width) break;
    out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (line.size() > indent && width_of(line) + 1 + width_of(word) > width) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    if (!line.empty() && line.back() != ' ') line += ' ';
    line += word;
  }
  return out + line + "\n";
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t w = width_of(text);
  if (w < width) out.append(width - w, ' ');
  return out;
}

std::string painted(std::string_view text, Paint paint, bool on, unsigned which) {
  if (!on || paint == Paint::plain || text.empty()) return std::string(text);
  // Cyan, green, magenta, blue, yellow, white: red is kept for failures.
  constexpr const char* kThreads[] = {"36", "32", "35", "34", "33", "37"};
  const char* code = "0";
  switch (paint) {
    case Paint::plain:
      break;
    case Paint::bold:
      code = "1";
      break;
    case Paint::dim:
      code = "2";
      break;
    case Paint::red:
      code = "1;31";
      break;
    case Paint::yellow:
      code = "33";
      break;
    case Paint::thread:
      code = kThreads[which % 6];
      break;
  }
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace jostle::report

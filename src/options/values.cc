#include "options/values.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace jostle::option_value {
namespace {

template <class F>  // f(index, word) returns true to stop
bool each_word(std::string_view words, F f) {
  for (std::uint8_t i = 0; !words.empty(); ++i) {
    const std::size_t comma = words.find(',');
    std::string_view word = words.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    if (!word.empty() && word.back() == '_') word.remove_suffix(1);
    if (f(i, word)) return true;
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
  }
  return false;
}

template <class T>
bool read_number(std::string_view s, T& out) {
  int base = 10;
  if (s.starts_with("0x") || s.starts_with("0X")) {
    base = 16;
    s.remove_prefix(2);
  }
  T v{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v, base);
  if (error != std::errc() || end != s.data() + s.size()) return false;
  out = v;
  return true;
}

}  // namespace

bool read_text(std::string_view s, std::string& out) {
  // A NUL or line break can only come from a mistake, and would break what prints the value.
  for (const char c : s)
    if (c == '\0' || c == '\n' || c == '\r') return false;
  out = s;
  return true;
}

bool read_list(std::string_view s, std::string& out) { return read_text(s, out); }
std::vector<std::string> texts_of(std::string_view list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) out.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool read_flag(std::string_view s, bool& out) {
  for (const std::string_view yes : {"true", "1", "on", "yes"})
    if (s == yes) return out = true, true;
  for (const std::string_view no : {"false", "0", "off", "no"})
    if (s == no) return out = false, true;
  return false;
}

bool read_u64(std::string_view s, std::uint64_t& out) { return read_number(s, out); }
bool read_u32(std::string_view s, std::uint32_t& out) { return read_number(s, out); }

bool read_positive(std::string_view s, std::uint32_t& out) {
  std::uint32_t v = 0;
  if (!read_number(s, v) || v == 0) return false;
  out = v;
  return true;
}

bool read_processes(std::string_view s, std::uint32_t& out) {
  constexpr std::uint32_t kMost = 256;  // no machine gains by more, and each takes memory
  std::uint32_t v = 0;
  if (!read_positive(s, v) || v > kMost) return false;
  out = v;
  return true;
}

bool read_seconds(std::string_view s, double& out) {
  double v = 0;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), v, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(v) || v < 0 || std::signbit(v)) return false;
  const std::string_view unit = s.substr(static_cast<std::size_t>(end - s.data()));
  if (unit == "ms") {
    v /= 1000;
  } else if (unit == "m" || unit == "min") {
    v *= 60;
  } else if (unit == "h") {
    v *= 3600;
  } else if (!unit.empty() && unit != "s") {
    return false;
  }
  // A century: further out, conversions to integer nanoseconds would overflow.
  if (v > 3.2e9) return false;
  out = v;
  return true;
}

std::string write_text(const std::string& v) { return v; }
std::string write_list(const std::string& v) { return v; }
std::string write_flag(bool v) { return v ? "true" : "false"; }
std::string write_u64(std::uint64_t v) { return std::to_string(v); }
std::string write_u32(std::uint32_t v) { return std::to_string(v); }
std::string write_positive(std::uint32_t v) { return std::to_string(v); }
std::string write_processes(std::uint32_t v) { return std::to_string(v); }

std::string write_seconds(double v) {
  char digits[64];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof digits, v, std::chars_format::fixed);
  if (error != std::errc()) return "0";
  return std::string(digits, end) + (v == 0 ? "" : "s");
}

bool read_choice(std::string_view words, std::string_view s, std::uint8_t& out) {
  return each_word(words, [&](std::uint8_t i, std::string_view word) {
    if (word != s) return false;
    out = i;
    return true;
  });
}

std::string write_choice(std::string_view words, std::uint8_t v) {
  std::string text;
  each_word(words, [&](std::uint8_t i, std::string_view word) {
    if (i == v) text = word;
    return i == v;
  });
  return text;
}

std::string expected_choice(std::string_view words) {
  std::string text;
  each_word(words, [&](std::uint8_t i, std::string_view word) {
    text += i == 0 ? "one of " : ", ";
    text += word;
    return false;
  });
  return text;
}

}  // namespace jostle::option_value

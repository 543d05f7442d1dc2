#include "report/formats/encode.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace jostle::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The code point at the start of `bytes` and its length; length 0 if that is no valid UTF-8.
struct Decoded {
  std::uint32_t point = 0;
  std::size_t length = 0;
};

Decoded decode(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return {};
  std::uint32_t point = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (at(i) & 0x3f);
  }
  // Longer than need be, a half of a UTF-16 pair, or beyond the last code point.
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[length] || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return {};
  return {point, length};
}

// f(code point, its bytes) for each; invalid bytes come as U+FFFD, one for each.
template <class F>
void each_point(std::string_view bytes, F f) {
  while (!bytes.empty()) {
    const Decoded d = decode(bytes);
    if (d.length == 0) {
      f(0xfffdu, kReplacement);
      bytes.remove_prefix(1);
    } else {
      f(d.point, bytes.substr(0, d.length));
      bytes.remove_prefix(d.length);
    }
  }
}

bool allowed_in_xml(std::uint32_t point) {
  return point >= 0x20 ? point != 0xfffe && point != 0xffff
                       : point == '\t' || point == '\n' || point == '\r';
}

std::string xml(std::string_view bytes, bool attribute) {
  std::string out;
  each_point(bytes, [&](std::uint32_t point, std::string_view text) {
    if (point == '&') {
      out += "&amp;";
    } else if (point == '<') {
      out += "&lt;";
    } else if (point == '>') {
      out += "&gt;";  // "]]>" must not appear in text
    } else if (point == '"' && attribute) {
      out += "&quot;";
    } else if (point == '\r' || (attribute && (point == '\n' || point == '\t'))) {
      out += "&#" + std::to_string(point) + ";";  // a parser would make blanks of them
    } else {
      out += allowed_in_xml(point) ? text : kReplacement;
    }
  });
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  each_point(bytes, [&](std::uint32_t, std::string_view text) { out += text; });
  return out;
}

std::string json_string(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  each_point(bytes, [&](std::uint32_t point, std::string_view text) {
    switch (point) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (point < 0x20 || point == 0x7f)
          out += {'\\', 'u', '0', '0', kHex[point >> 4], kHex[point & 15]};
        else
          out += text;
    }
  });
  return out + "\"";
}

std::string xml_text(std::string_view bytes) { return xml(bytes, false); }
std::string xml_attribute(std::string_view bytes) { return xml(bytes, true); }

std::string path_uri(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+,@";
  std::string out = path.starts_with("/") ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string decimal(double value, int digits) {
  if (!std::isfinite(value)) return "0";
  char text[400];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits);
  if (error != std::errc()) return "0";
  std::string out(text, end);
  if (out.find('.') == std::string::npos) return out;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\x1b[")) {
      const std::size_t end = text.find_first_not_of("0123456789;", i + 2);
      if (end != std::string_view::npos && text[end] == 'm') {
        i = end;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace jostle::report

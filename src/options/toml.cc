#include "options/toml.h"

#include <algorithm>
#include <cstdint>

namespace jostle {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// "[+-]?digits" with single underscores between digits, or 0x...; `dots` counts points.
bool is_number(std::string_view s, std::size_t& dots) {
  dots = 0;
  if (s.starts_with("+") || s.starts_with("-")) s.remove_prefix(1);
  const bool hex = s.starts_with("0x");
  if (hex) s.remove_prefix(2);
  const auto digit = [&](std::size_t i) {
    return i < s.size() && (hex ? hex_digit(s[i]) >= 0 : s[i] >= '0' && s[i] <= '9');
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (digit(i)) continue;
    if (s[i] == '.' && !hex)
      ++dots;
    else if (s[i] != '_')
      return false;
    if (i == 0 || !digit(i - 1) || !digit(i + 1)) return false;
  }
  if (s.empty() || dots > 1) return false;
  // TOML has no octal numbers by a mere zero, and a reader should not wonder.
  return hex || s.size() == 1 || s[0] != '0' || s[1] == '.';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    sections_.push_back({});
    sections_.back().line = 1;
  }

  Expected<std::vector<TomlSection>> read() {
    for (skip_to_content(); at_ < text_.size() && error_.empty(); skip_to_content()) {
      if (peek() == '[')
        read_section();
      else
        read_entry();
      if (error_.empty()) end_line();
    }
    if (!error_.empty()) return Error{error_};
    return std::move(sections_);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void fail(const std::string& what) {
    if (error_.empty()) error_ = std::to_string(line_) + ": " + what;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  // Over blanks, comments and line breaks.
  void skip_to_content() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      if (peek() == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (take('\n')) {
        ++line_;
      } else if (!text_.substr(at_).starts_with("\r\n")) {
        return;
      } else {
        ++at_;
      }
    }
  }

  void end_line() {
    skip_blanks();
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    if (peek() != '\n') fail("there is more on the line than " + last_);
  }

  // "..." or '...'
  std::string read_quoted() {
    const char quote = text_[at_++];
    if (text_.substr(at_).starts_with(std::string(2, quote))) {
      fail("text of several lines is not supported: write it on one");
      return "";
    }
    std::string out;
    while (error_.empty() && !take(quote)) {
      if (peek() == '\n')
        fail("the text has no closing quotation mark");
      else if (quote == '"' && take('\\'))
        read_escape(out);
      else
        out += text_[at_++];
    }
    return out;
  }

  void read_escape(std::string& out) {
    constexpr std::string_view kNames = "btnfr\"\\", kMeant = "\b\t\n\f\r\"\\";
    const char c = peek();
    if (const std::size_t i = kNames.find(c); i != kNames.npos) {
      ++at_;
      out += kMeant[i];
      return;
    }
    if (c != 'u' && c != 'U')
      return fail(std::string("'\\") + c +
                  "' is no escape sequence: write \\\\ "
                  "for a backslash, or put the text in '...'");
    std::uint32_t point = 0;
    const std::size_t digits = c == 'u' ? 4 : 8;
    for (std::size_t i = 1; i <= digits; ++i) {
      const int digit = at_ + i < text_.size() ? hex_digit(text_[at_ + i]) : -1;
      if (digit < 0)
        return fail(std::string("\\") + c + " needs " + std::to_string(digits) +
                    " hexadecimal digits");
      point = point << 4 | static_cast<std::uint32_t>(digit);
    }
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return fail("there is no such character: " + std::string(text_.substr(at_ - 1, digits + 2)));
    at_ += digits + 1;
    append_utf8(out, point);
  }

  // A key, or one part of the name of a section.
  std::string read_key(const char* what) {
    if (peek() == '"' || peek() == '\'') return read_quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == begin) fail(std::string("expected ") + what);
    return std::string(text_.substr(begin, at_ - begin));
  }

  void read_section() {
    take('[');
    if (peek() == '[') return fail("arrays of tables, [[...]], are not supported");
    TomlSection section;
    section.line = line_;
    do {
      skip_blanks();
      section.name.push_back(read_key("the name of a section"));
      skip_blanks();
    } while (error_.empty() && take('.'));
    if (error_.empty() && !take(']')) fail("the name of a section ends with ']'");
    for (const TomlSection& s : sections_)
      if (s.name == section.name)
        fail("the section is there already, on line " + std::to_string(s.line));
    sections_.push_back(std::move(section));
    last_ = "the name of a section";
  }

  void read_entry() {
    TomlEntry entry;
    entry.line = line_;
    entry.key = read_key("a [section] or key = value");
    skip_blanks();
    if (error_.empty() && peek() == '.')
      return fail("keys with dots are not supported: use a [section]");
    if (error_.empty() && !take('=')) return fail("expected '=' after the key '" + entry.key + "'");
    skip_blanks();
    if (error_.empty()) read_value(entry.value);
    std::vector<TomlEntry>& all = sections_.back().entries;
    for (const TomlEntry& e : all)
      if (e.key == entry.key)
        fail("the key '" + entry.key + "' is there already, on line " + std::to_string(e.line));
    all.push_back(std::move(entry));
    last_ = "one value";
  }

  void read_value(TomlValue& value) {
    const char c = peek();
    if (c == '"' || c == '\'') {
      value.text = read_quoted();
    } else if (c == '[') {
      read_array(value);
    } else if (c == '{') {
      fail("tables in values, {...}, are not supported");
    } else {
      read_word(value);
    }
  }

  void read_array(TomlValue& value) {
    value.kind = TomlValue::Kind::texts;
    take('[');
    for (skip_to_content(); error_.empty() && !take(']'); skip_to_content()) {
      if (at_ >= text_.size()) return fail("the array has no closing ']'");
      if (peek() != '"' && peek() != '\'')
        return fail("an array can hold texts in quotation marks only");
      value.texts.push_back(read_quoted());
      skip_to_content();
      if (error_.empty() && !take(',') && peek() != ']') fail("expected ',' or ']' in the array");
    }
  }

  // A number or a truth value.
  void read_word(TomlValue& value) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_bare(text_[at_]) || text_[at_] == '+' || text_[at_] == '.'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    std::size_t dots = 0;
    if (word == "true" || word == "false") {
      value.kind = TomlValue::Kind::boolean;
      value.text = word;
    } else if (is_number(word, dots)) {
      value.kind = dots ? TomlValue::Kind::real : TomlValue::Kind::integer;
      for (const char c : word)
        if (c != '_' && c != '+') value.text += c;
    } else if (word.empty()) {
      fail("expected a value: text in quotation marks, a number, true or false");
    } else {
      fail("'" + std::string(word) + "' is no value: write text in quotation marks");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  std::string error_, last_;  // `last_`: what was read on this line
  std::vector<TomlSection> sections_;
};

}  // namespace

std::string_view name_of(TomlValue::Kind kind) {
  switch (kind) {
    case TomlValue::Kind::text:
      return "text";
    case TomlValue::Kind::integer:
      return "a whole number";
    case TomlValue::Kind::real:
      return "a number";
    case TomlValue::Kind::boolean:
      return "true or false";
    case TomlValue::Kind::texts:
      return "an array";
  }
  return "?";
}

Expected<std::vector<TomlSection>> read_toml(std::string_view text) { return Reader(text).read(); }

}  // namespace jostle

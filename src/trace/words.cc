#include "trace/words.h"

#include <charconv>

namespace jostle {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_bare(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text)
    if (is_control(c) || c == ' ' || c == '"' || c == '\\') return false;
  return text[0] != '#';  // a line that starts with it is a comment
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Reads the quoted word that starts at line[at]; `at` ends after the closing quote.
Expected<std::string> read_quoted(std::string_view line, std::size_t& at) {
  std::string word;
  for (++at; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') {
      ++at;
      return word;
    }
    if (is_control(c)) return Error{"a control character inside quotes"};
    if (c != '\\') {
      word += c;
      continue;
    }
    if (++at == line.size()) break;
    switch (line[at]) {
      case '"':
        word += '"';
        break;
      case '\\':
        word += '\\';
        break;
      case 'n':
        word += '\n';
        break;
      case 't':
        word += '\t';
        break;
      case 'x': {
        const int high = at + 2 < line.size() ? hex_digit(line[at + 1]) : -1;
        const int low = at + 2 < line.size() ? hex_digit(line[at + 2]) : -1;
        if (high < 0 || low < 0) return Error{"\\x needs two hexadecimal digits"};
        word += static_cast<char>(high * 16 + low);
        at += 2;
        break;
      }
      default:
        return Error{std::string("unknown escape \\") + to_word(line.substr(at, 1))};
    }
  }
  return Error{"a closing quote is missing"};
}

}  // namespace

std::string to_word(std::string_view text) {
  if (is_bare(text)) return std::string(text);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      out += "\\x";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

Expected<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    if (at < line.size() && line[at] == '"') {
      auto word = read_quoted(line, at);
      if (!word) return Error{word.error()};
      words.push_back(std::move(*word));
    } else {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      const std::string_view word = line.substr(at, end - at);
      if (word.empty()) return Error{"a blank too many"};
      for (const char c : word)
        if (is_control(c) || c == '"' || c == '\\')
          return Error{"the word " + to_word(word.substr(0, 40)) + " should be in quotes"};
      words.emplace_back(word);
      at = end;
    }
    if (at == line.size()) return words;
    if (line[at] != ' ') return Error{"text after a closing quote"};
    ++at;
  }
}

bool parse_number(std::string_view word, std::uint32_t& out) {
  if (word.empty() || word[0] < '0' || word[0] > '9' || (word.size() > 1 && word[0] == '0'))
    return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size();
}

bool parse_hex(std::string_view word, std::uint64_t& out) {
  if (!word.starts_with("0x") || word.size() < 3 || word.size() > 18) return false;
  out = 0;
  for (const char c : word.substr(2)) {
    const int digit = hex_digit(c);
    if (digit < 0) return false;
    out = out << 4 | static_cast<std::uint64_t>(digit);
  }
  return word.size() == 3 || word[2] != '0';
}

std::string to_hex(std::uint64_t v) {
  char digits[16];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, v, 16);
  return "0x" + (error == std::errc() ? std::string(digits, end) : std::string("0"));
}

}  // namespace jostle

// The text of --help and `jostle list options`.
#include "options/options.h"

namespace jostle {
namespace {

constexpr std::size_t kTextColumn = 26, kWidth = 80;

// Adds `text` from column kTextColumn on, breaking at blanks; `column` is where the line is now.
void add_wrapped(std::string& out, std::string_view text, std::size_t column) {
  out.append(column < kTextColumn ? kTextColumn - column : 0, ' ');
  column = kTextColumn;
  bool first = true;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
    if (!first && column + 1 + word.size() > kWidth) {
      out += '\n';
      out.append(kTextColumn, ' ');
      column = kTextColumn;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

}  // namespace

std::string describe_options() {
  const Options standard;
  std::string out;
  for (const OptionInfo& option : all_options()) {
    std::string head = "  --" + std::string(option.name);
    // A choice's words go to the text: in the head they would not fit.
    const bool choice = option.expected.starts_with("one of ");
    if (choice)
      head += "=WORD";
    else if (!option.hint.empty())
      head += "=" + std::string(option.hint);
    out += head;
    std::size_t column = head.size();
    if (column + 2 > kTextColumn) {
      out += '\n';
      column = 0;
    }
    const std::string value = value_of(standard, option.name);
    std::string text(option.text);
    if (choice) text += "; " + std::string(option.expected);
    if (!value.empty()) text += " (default: " + value + ")";
    add_wrapped(out, text, column);
  }
  return out;
}

}  // namespace jostle

// Lines of words: a word is printable text without blanks, or anything at all in quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace jostle {

// `text` as one word: bare if that is unambiguous, else quoted. UTF-8 stays readable; line
// breaks, quotes, backslashes and control characters are escaped.
std::string to_word(std::string_view text);

// The words of one line (without its line break). Words are separated by exactly one blank: a
// schedule has one spelling only, so that two files differ if and only if the schedules do.
Expected<std::vector<std::string>> split_words(std::string_view line);

// Decimal digits only, no sign, no leading zeros, no overflow.
bool parse_number(std::string_view word, std::uint32_t& out);
bool parse_hex(std::string_view word, std::uint64_t& out);  // "0x1f"
std::string to_hex(std::uint64_t v);

}  // namespace jostle

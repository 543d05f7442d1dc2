// Reads the part of TOML (toml.io, 1.0) that settings need: comments, [sections], and
//
//     key = "text" | 'text' | 12 | 1.5 | true | ["text", "text"]
//
// What TOML has beyond that (dates, tables in values, several lines of text, dotted keys) is an
// error that says so, and so is a key or section that is there twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace jostle {

struct TomlValue {
  enum class Kind { text, integer, real, boolean, texts };
  Kind kind = Kind::text;
  std::string text;                // of a number without its underscores
  std::vector<std::string> texts;  // of an array
};

// What a kind is called in messages: "text", "a whole number", ...
std::string_view name_of(TomlValue::Kind kind);

struct TomlEntry {
  std::string key;
  TomlValue value;
  std::size_t line = 0;
};

struct TomlSection {
  std::vector<std::string> name;  // [a."b c".d] has three parts; the top of the file none
  std::size_t line = 0;
  std::vector<TomlEntry> entries;
};

// The first section is the top of the file. An error starts with the number of the line: "3: ...".
Expected<std::vector<TomlSection>> read_toml(std::string_view text);

}  // namespace jostle

// Reading options from text. The options themselves stand in include/jostle/options.def.
#pragma once

#include <functional>
#include <jostle/options.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace jostle {

// `list` holds texts separated by commas.
enum class OptionType { text, list, flag, number, seconds, choice };

struct OptionInfo {
  std::string_view name;      // as users write it: "weak-cas"
  std::string_view expected;  // "true or false", "one of sync, race, all", ...
  std::string_view hint;      // what --help shows after the '=': "N", "DURATION", "FILE", ...
  std::string_view text;
  bool flag = false;  // may be given without a value, meaning true
  OptionType type = OptionType::text;
};

std::span<const OptionInfo> all_options();
const OptionInfo* find_option(std::string_view name);  // nullptr: there is none

// Sets one option. The error says what is wrong in a whole sentence; `o` is then unchanged.
Expected<bool> apply(Options& o, std::string_view name, std::string_view value);

// Of options that were set in code: whether each value could have been given as text, too.
Expected<bool> validate(const Options& o);

// "k=v:k=v"; the name of a flag alone means true. A backslash takes the next character as it
// is, for values with a colon. Options before the faulty one have been applied.
Expected<bool> apply_list(Options& o, std::string_view list);

// JOSTLE_OPTIONS, then JOSTLE_<NAME> for each option, which is stronger. With the function form
// misspelt variables go unseen; the form with an environment block reports them.
using GetEnv = std::function<const char*(const char*)>;
Expected<bool> apply_environment(Options& o, const GetEnv& get);
Expected<bool> apply_environment(Options& o, const char* const* environment);

// The variable of an option: "weak-cas" -> "JOSTLE_WEAK_CAS".
std::string variable_of(std::string_view name);

// What `given` changes from the defaults goes into `o`: the code is stronger than a file.
void overlay(Options& o, const Options& given);

// The value as apply() would read it back.
std::string value_of(const Options& o, std::string_view name);
// What differs from the defaults, as apply_list() would read it back: for handing on to a child.
std::string to_list(const Options& o);

// For --help and `jostle list options`: one paragraph per option, at most 80 columns.
std::string describe_options();

}  // namespace jostle

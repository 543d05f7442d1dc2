#include "options/options.h"

#include <algorithm>
#include <vector>

#include "options/nearest.h"
#include "options/values.h"

namespace jostle {

std::string variable_of(std::string_view name) {
  std::string v = "JOSTLE_";
  for (const char c : name)
    v += c == '-' ? '_' : (c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  return v;
}
namespace {

using namespace option_value;  // NOLINT: the rows below name its functions by pasting

// A choice gets the same four names as the built-in types have, so that rows need not care.
#define JOSTLE_CHOICES(type, ...)                                         \
  bool read_##type(std::string_view s, Options::type& out) {              \
    std::uint8_t v = 0;                                                   \
    if (!read_choice(#__VA_ARGS__, s, v)) return false;                   \
    out = static_cast<Options::type>(v);                                  \
    return true;                                                          \
  }                                                                       \
  std::string write_##type(Options::type v) {                             \
    return write_choice(#__VA_ARGS__, static_cast<std::uint8_t>(v));      \
  }                                                                       \
  std::string expected_##type() { return expected_choice(#__VA_ARGS__); } \
  std::string hint_##type() { return expected_choice(#__VA_ARGS__).substr(7); }
#include <jostle/options.def>

std::string expected_text() { return "text on one line"; }
std::string expected_list() { return "text on one line"; }
std::string expected_flag() { return "true or false"; }
std::string expected_u64() { return "a whole number from 0 to 18446744073709551615"; }
std::string expected_u32() { return "a whole number from 0 to 4294967295"; }
std::string expected_positive() { return "a whole number from 1 to 4294967295"; }
std::string expected_processes() { return "a whole number from 1 to 256"; }
std::string expected_seconds() { return "a duration such as 500ms, 60s, 5m or 1h"; }

std::string hint_text() { return "TEXT"; }
std::string hint_list() { return "TEXT"; }
std::string hint_flag() { return ""; }
std::string hint_u64() { return "N"; }
std::string hint_u32() { return "N"; }
std::string hint_positive() { return "N"; }
std::string hint_processes() { return "N"; }
std::string hint_seconds() { return "DURATION"; }

struct Row {
  std::string name, expected, hint, text;
  bool (*read)(Options&, std::string_view);
  std::string (*write)(const Options&);
  OptionType type;
};

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

OptionType type_of(std::string_view type) {
  if (type == "text") return OptionType::text;
  if (type == "list") return OptionType::list;
  if (type == "flag") return OptionType::flag;
  if (type == "seconds") return OptionType::seconds;
  for (const std::string_view number : {"u64", "u32", "positive", "processes"})
    if (type == number) return OptionType::number;
  return OptionType::choice;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
#define JOSTLE_OPTION(name, type, default_value, description)             \
  {dashed(#name),                                                         \
   expected_##type(),                                                     \
   hint_##type(),                                                         \
   description,                                                           \
   [](Options& o, std::string_view s) { return read_##type(s, o.name); }, \
   [](const Options& o) { return write_##type(o.name); },                 \
   type_of(#type)},
#include <jostle/options.def>
  };
  return table;
}

const Row* find_row(std::string_view name) {
  for (const Row& r : rows())
    if (r.name == name) return &r;
  return nullptr;
}

Error unknown_option(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Row& r : rows()) names.push_back(r.name);
  const std::string hint = did_you_mean(name, names);
  return {"unknown option '" + std::string(name) + "'" +
          (hint.empty() ? " ('jostle list options' shows all)" : hint)};
}

Expected<bool> read_variable(Options& o, const Row& r, const std::string& variable,
                             std::string_view value) {
  // Empty means unset, as shells and CI files write it; the wish for an empty text is the default.
  if (value.empty()) return true;
  if (!r.read(o, value))
    return Error{"environment variable " + variable + ": '" + std::string(value) + "' is not " +
                 r.expected};
  return true;
}

Expected<bool> unknown_variable(std::string_view variable) {
  // Ours, from the command line tool to the process it starts; and what CMake reads.
  if (variable.starts_with("JOSTLE_INTERNAL_") || variable == "JOSTLE_ROOT" ||
      variable == "JOSTLE_DIR")
    return true;
  std::vector<std::string> names = {"JOSTLE_OPTIONS", "JOSTLE_CONFIG", "JOSTLE_CC", "JOSTLE_CXX"};
  for (const Row& r : rows()) names.push_back(variable_of(r.name));
  if (std::find(names.begin(), names.end(), variable) != names.end()) return true;
  const std::vector<std::string_view> views(names.begin(), names.end());
  return Error{"unknown environment variable '" + std::string(variable) + "'" +
               did_you_mean(variable, views)};
}

}  // namespace

std::span<const OptionInfo> all_options() {
  static const std::vector<OptionInfo> table = [] {
    std::vector<OptionInfo> t;
    for (const Row& r : rows())
      t.push_back({r.name, r.expected, r.hint, r.text, r.type == OptionType::flag, r.type});
    return t;
  }();
  return table;
}

const OptionInfo* find_option(std::string_view name) {
  for (const OptionInfo& i : all_options())
    if (i.name == name) return &i;
  return nullptr;
}

Expected<bool> apply(Options& o, std::string_view name, std::string_view value) {
  const Row* r = find_row(name);
  if (!r) return unknown_option(name);
  if (!r->read(o, value))
    return Error{"option '" + r->name + "': '" + std::string(value) + "' is not " + r->expected};
  return true;
}

Expected<bool> validate(const Options& o) {
  Options read;
  for (const Row& r : rows())
    if (const std::string value = r.write(o); !r.read(read, value))
      return Error{"option '" + r.name + "': '" + value + "' is not " + r.expected};
  return true;
}

Expected<bool> apply_list(Options& o, std::string_view list) {
  std::string name, value;
  bool in_value = false;
  const auto finish = [&]() -> Expected<bool> {
    Expected<bool> done = true;
    if (in_value) {
      done = apply(o, name, value);
    } else if (!name.empty()) {  // "a=1::b=2" and a trailing colon do no harm
      const Row* r = find_row(name);
      if (!r) {
        done = unknown_option(name);
      } else if (r->type != OptionType::flag) {
        done = Error{"option '" + name + "' needs a value: " + r->expected};
      } else {
        done = apply(o, name, "true");
      }
    }
    name.clear();
    value.clear();
    in_value = false;
    return done;
  };

  for (std::size_t i = 0; i < list.size(); ++i) {
    char c = list[i];
    if (c == ':') {
      if (auto done = finish(); !done) return done;
      continue;
    }
    if (c == '=' && !in_value) {
      in_value = true;
      continue;
    }
    if (c == '\\') {
      if (++i == list.size()) return Error{"the list of options ends in a lone backslash"};
      c = list[i];
    }
    (in_value ? value : name) += c;
  }
  return finish();
}

Expected<bool> apply_environment(Options& o, const GetEnv& get) {
  if (const char* list = get("JOSTLE_OPTIONS"))
    if (auto done = apply_list(o, list); !done) return Error{"JOSTLE_OPTIONS: " + done.error()};
  for (const Row& r : rows()) {
    const std::string variable = variable_of(r.name);
    if (const char* value = get(variable.c_str()))
      if (auto done = read_variable(o, r, variable, value); !done) return done;
  }
  return true;
}

Expected<bool> apply_environment(Options& o, const char* const* environment) {
  for (const char* const* e = environment; e && *e; ++e) {
    const std::string_view entry = *e;
    if (!entry.starts_with("JOSTLE_")) continue;
    if (auto known = unknown_variable(entry.substr(0, entry.find('='))); !known) return known;
  }
  return apply_environment(o, [environment](const char* name) -> const char* {
    const std::string_view wanted = name;
    for (const char* const* e = environment; e && *e; ++e) {
      const std::string_view entry = *e;
      if (entry.size() > wanted.size() && entry.starts_with(wanted) && entry[wanted.size()] == '=')
        return *e + wanted.size() + 1;
    }
    return nullptr;
  });
}

void overlay(Options& o, const Options& given) {
  const Options standard;
#define JOSTLE_OPTION(name, type, default_value, description) \
  if (given.name != standard.name) o.name = given.name;
#include <jostle/options.def>
}

std::string value_of(const Options& o, std::string_view name) {
  const Row* r = find_row(name);
  return r ? r->write(o) : std::string();
}

std::string to_list(const Options& o) {
  const Options standard;
  std::string list;
  for (const Row& r : rows()) {
    const std::string value = r.write(o);
    if (value == r.write(standard)) continue;
    if (!list.empty()) list += ':';
    list += r.name + "=";
    for (const char c : value) {
      if (c == ':' || c == '\\') list += '\\';
      list += c;
    }
  }
  return list;
}

}  // namespace jostle

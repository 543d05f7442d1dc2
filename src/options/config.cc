#include "options/config.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <vector>

#include "options/nearest.h"
#include "options/options.h"
#include "options/toml.h"

namespace jostle {
namespace {

constexpr char kStandard[] = "jostle.toml";

Expected<std::string> read_config(const std::string& path) {
  const auto failed = [&](const std::string& why) {
    return Error{"cannot read '" + path + "': " + why};
  };
  // A pipe or device could block for ever.
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return failed(std::generic_category().message(errno));
  if (!S_ISREG(info.st_mode)) return failed("not a regular file");
  if (info.st_size > 1 << 20) return failed("larger than 1 MiB");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(path.c_str(), "re"),
                                                           &std::fclose);
  if (!in) return failed(std::generic_category().message(errno));
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), in.get()));
  if (std::ferror(in.get())) return failed("input error");
  return text;
}

Error at_line(std::size_t line, const std::string& what) {
  return {std::to_string(line) + ": " + what};
}

Error unknown_key(const TomlEntry& e) {
  std::vector<std::string_view> names;
  for (const OptionInfo& i : all_options()) names.push_back(i.name);
  const std::string hint = did_you_mean(e.key, names);
  return at_line(e.line, "unknown key '" + e.key + "'" +
                             (hint.empty() ? " ('jostle list options' shows all)" : hint));
}

bool fits(OptionType type, TomlValue::Kind kind) {
  using Kind = TomlValue::Kind;
  switch (type) {
    case OptionType::text:
    case OptionType::choice:
      return kind == Kind::text;
    case OptionType::list:
      return kind == Kind::text || kind == Kind::texts;
    case OptionType::flag:
      return kind == Kind::boolean;
    case OptionType::number:
      return kind == Kind::integer;
    case OptionType::seconds:
      return kind == Kind::text || kind == Kind::integer || kind == Kind::real;
  }
  return false;
}

Expected<bool> apply_entry(Options& o, const TomlEntry& e) {
  const OptionInfo* option = find_option(e.key);
  if (!option) return unknown_key(e);
  if (!fits(option->type, e.value.kind)) {
    const bool quoted = option->type == OptionType::text || option->type == OptionType::choice ||
                        option->type == OptionType::list;
    return at_line(e.line, "key '" + e.key + "' needs " + std::string(option->expected) +
                               (quoted ? ", in quotation marks" : "") + ", not " +
                               std::string(name_of(e.value.kind)));
  }
  std::string value = e.value.text;
  for (const std::string& item : e.value.texts) {
    if (item.find(',') != std::string::npos)
      return at_line(e.line,
                     "key '" + e.key + "': '" + item + "' has a comma, which separates items");
    value += (value.empty() ? "" : ",") + item;
  }
  if (!apply(o, e.key, value))
    return at_line(e.line,
                   "key '" + e.key + "': '" + value + "' is not " + std::string(option->expected));
  return true;
}

// [program.NAME]; the dots of a NAME need no quotation marks.
Expected<std::string> program_of(const TomlSection& s) {
  if (s.name.front() != "program") {
    const std::string_view only[] = {"program"};
    return at_line(s.line,
                   "unknown section '" + s.name.front() + "'" +
                       (nearest(s.name.front(), only).empty() ? ": there is [program.NAME]"
                                                              : ": did you mean [program.NAME]?"));
  }
  std::string name;
  for (std::size_t i = 1; i < s.name.size(); ++i) name += (i > 1 ? "." : "") + s.name[i];
  if (name.empty())
    return at_line(s.line, "the section lacks the name of a program: [program.NAME]");
  return name;
}

}  // namespace

Expected<bool> apply_config_text(Options& o, std::string_view text,
                                 std::span<const std::string> names) {
  const auto sections = read_toml(text);
  if (!sections) return Error{sections.error()};
  std::vector<std::string> programs = {""};
  for (const TomlSection& s : *sections) {
    if (!s.name.empty()) {
      const auto program = program_of(s);
      if (!program) return Error{program.error()};
      // "a.b" and a.b are the same to us, though not to TOML.
      if (std::find(programs.begin(), programs.end(), *program) != programs.end())
        return at_line(s.line, "there are two sections for the program '" + *program + "'");
      programs.push_back(*program);
    }
    Options scratch;
    for (const TomlEntry& e : s.entries)
      if (auto done = apply_entry(scratch, e); !done) return done;
  }
  // Everything was checked: from here on nothing fails.
  const auto apply_section = [&](std::string_view program) {
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (programs[i] == program)
        for (const TomlEntry& e : (*sections)[i].entries) (void)apply_entry(o, e);
  };
  apply_section("");
  for (const std::string& name : names)
    if (!name.empty()) apply_section(name);
  return true;
}

Expected<bool> apply_config(Options& o, const std::string& path,
                            std::span<const std::string> names) {
  const auto text = read_config(path);
  if (!text) return Error{text.error()};
  if (auto done = apply_config_text(o, *text, names); !done)
    return Error{path + ":" + done.error()};
  return true;
}

Expected<bool> apply_config(Options& o, const std::string& path, const std::string& program) {
  return apply_config(o, path, std::span(&program, 1));
}

std::string find_config() {
  if (const char* named = std::getenv("JOSTLE_CONFIG"); named && *named) return named;
  struct stat info = {};
  return ::stat(kStandard, &info) == 0 ? kStandard : "";
}

}  // namespace jostle

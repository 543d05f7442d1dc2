// A finding, a failure of the tool, wrong use and "nothing ran" are told apart by number.
#pragma once

#include <string_view>

namespace jostle {

enum class ExitCode : int {
#define JOSTLE_EXIT(name, code, text) name = code,
#include "options/exit_codes.def"
#undef JOSTLE_EXIT
};

constexpr std::string_view name_of(ExitCode c) {
  switch (c) {
#define JOSTLE_EXIT(name, code, text) \
  case ExitCode::name:                \
    return #name;
#include "options/exit_codes.def"
#undef JOSTLE_EXIT
  }
  return "?";
}

constexpr std::string_view text_of(ExitCode c) {
  switch (c) {
#define JOSTLE_EXIT(name, code, text) \
  case ExitCode::name:                \
    return text;
#include "options/exit_codes.def"
#undef JOSTLE_EXIT
  }
  return "?";
}

}  // namespace jostle

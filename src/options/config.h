// Options from a file, usually jostle.toml:
//
//     executions = 100000            # for every program
//
//     [program.bank_test]            # for one, by the name of its file
//     strategy = "pct"
//
// Keys are the names of options, with dashes.
#pragma once

#include <jostle/options.hpp>
#include <span>
#include <string>

#include "base/expected.h"

namespace jostle {

// Sets what the file says. Sections count for programs with one of `names`; of two such sections
// that of the later name is stronger. All of the file is checked, whatever the names. An error is
// a sentence that starts with "FILE:LINE: "; `o` is then unchanged.
Expected<bool> apply_config(Options& o, const std::string& path,
                            std::span<const std::string> names);
Expected<bool> apply_config(Options& o, const std::string& path, const std::string& program);

// The same from text. An error starts with the number of the line.
Expected<bool> apply_config_text(Options& o, std::string_view text,
                                 std::span<const std::string> names);

// The file that the command line tool reads: what JOSTLE_CONFIG names, else jostle.toml in the
// current directory, else "".
std::string find_config();

}  // namespace jostle

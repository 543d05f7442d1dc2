// The verbs of the jostle command, one file each.
//
// A verb adds its options to its own CLI::App and a callback that leaves the exit code. Wrong use
// and errors are sentences on stderr that start with "jostle: error: "; what was asked for goes to
// stdout.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "options/exit_codes.h"

namespace jostle::cli {

struct Verb {
  std::string_view name, text;
  void (*add)(CLI::App& app, ExitCode& code);
  // Instead, for a verb that takes all arguments after it as they are.
  ExitCode (*take)(int argc, char** argv) = nullptr;
};
std::span<const Verb> verbs();

void add_run(CLI::App& app, ExitCode& code);
void add_check(CLI::App& app, ExitCode& code);
void add_cover(CLI::App& app, ExitCode& code);
void add_db(CLI::App& app, ExitCode& code);
void add_replay(CLI::App& app, ExitCode& code);
void add_explain(CLI::App& app, ExitCode& code);
void add_minimize(CLI::App& app, ExitCode& code);
void add_list(CLI::App& app, ExitCode& code);
void add_doctor(CLI::App& app, ExitCode& code);
ExitCode compile_c(int argc, char** argv);
ExitCode compile_cxx(int argc, char** argv);

// Says it on stderr; returns `code`.
ExitCode fail(ExitCode code, const std::string& sentence);

}  // namespace jostle::cli

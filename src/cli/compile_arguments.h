// What `jostle cc` makes of the arguments of a compiler: pure, so that it can be tested without
// one. All arguments stay as they are and in their order; ours are put around them.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"

namespace jostle::cli {

enum class CompilerId { gcc, clang };

// What a command line asks a compiler to do.
struct CompileTask {
  bool question = false;  // --version, -print-..., -###, or no input at all: none of our business
  bool instruments = false;   // there is C or C++ to compile, and -fno-sanitize=thread is not there
  bool preprocesses = false;  // only that: -E, -M
  bool links = false;
  bool has_assembler = false;  // .S files, which go through the preprocessor
  bool shared = false;
  bool refuses_undefined = false;  // -z defs: a shared library needs the hooks when it is linked
};

// The error is for the user: a combination that cannot work, and what to do instead.
Expected<CompileTask> examine(const std::vector<std::string>& arguments);

struct Installation {
  std::string header;             // jostle/instrument.h
  std::string library_directory;  // of libjostle_program.so; needed only to link
};

// The arguments to call the compiler with, its own name not included.
std::vector<std::string> arguments_for(const CompileTask& task, CompilerId id,
                                       const Installation& where,
                                       const std::vector<std::string>& arguments);

// Does linking `task` need libjostle_program.so?
bool needs_library(const CompileTask& task);

}  // namespace jostle::cli

#include <cstdio>

#include "cli/commands.h"

namespace jostle::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"run", "search for a schedule that breaks a program", &add_run},
    {"check", "execute all schedules that make a difference, best first", &add_check},
    {"cover", "predict interleavings not tested yet, and test them", &add_cover},
    {"replay", "execute a saved schedule again", &add_replay},
    {"explain", "say why a saved schedule fails", &add_explain},
    {"minimize", "shorten a saved schedule", &add_minimize},
    {"db", "what was tested so far: the memo database of cover", &add_db},
    {"cc", "compile C: in place of the compiler, with its arguments", nullptr, &compile_c},
    {"c++", "compile C++: likewise", nullptr, &compile_cxx},
    {"list", "strategies, findings, options, exit-codes: what there is", &add_list},
    {"doctor", "look whether Jostle can work on this machine", &add_doctor},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

ExitCode fail(ExitCode code, const std::string& sentence) {
  std::fprintf(stderr, "jostle: error: %s\n", sentence.c_str());
  return code;
}

}  // namespace jostle::cli

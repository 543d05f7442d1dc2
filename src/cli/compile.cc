// jostle cc ARGUMENT..., jostle c++ ARGUMENT...: in place of the compiler.
//
// Becomes the real compiler, with the flags of jostle_instrument() when it compiles, and with
// libjostle_program.so when it links.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "cli/compile_arguments.h"
#include "cli/whole_program.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

struct Language {
  const char* verb;
  const char* variable;
  const char* standard;
};
constexpr Language kC{"cc", "JOSTLE_CC", "cc"}, kCxx{"c++", "JOSTLE_CXX", "c++"};

// "ccache g++" is two words, as in CC and CXX.
std::vector<std::string> real_compiler(const Language& l) {
  const char* set = std::getenv(l.variable);
  if (!set || !*set) return {l.standard};
  if (access(set, X_OK) == 0) return {set};  // a path with blanks
  std::vector<std::string> words;
  std::string word;
  for (const char* c = set;; ++c) {
    if (*c != '\0' && *c != ' ' && *c != '\t') {
      word += *c;
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
    if (*c == '\0') break;
  }
  if (words.empty()) words.push_back(l.standard);
  return words;
}

// As execvp() looks for it, with symbolic links followed; "" if there is none.
std::string path_of(const std::string& program) {
  std::error_code none;
  if (program.find('/') != std::string::npos) return fs::canonical(program, none).string();
  const char* list = std::getenv("PATH");
  std::string rest = list ? list : "/bin:/usr/bin";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, end)) / program;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate, none))
      return fs::canonical(candidate, none).string();
  }
  return "";
}

std::string output_of(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& w : words) {
    command += '\'';
    for (const char c : w) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "' ";
  }
  FILE* p = popen((command + "--version 2>/dev/null </dev/null").c_str(), "r");
  if (!p) return "";
  std::string out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, p)) out.append(buffer, n);
  pclose(p);
  return out;
}

// From the name where it tells, which costs nothing; else by asking.
Expected<CompilerId> id_of(const std::vector<std::string>& compiler) {
  for (auto word = compiler.rbegin(); word != compiler.rend(); ++word) {
    const std::string name = fs::path(path_of(*word)).filename().string();
    if (name.find("clang") != std::string::npos) return CompilerId::clang;
    if (name.find("gcc") != std::string::npos || name.find("g++") != std::string::npos)
      return CompilerId::gcc;
  }
  const std::string version = output_of(compiler);
  if (version.find("clang") != std::string::npos) return CompilerId::clang;
  if (version.find("Free Software Foundation") != std::string::npos) return CompilerId::gcc;
  return Error{"'" + compiler.front() + "' is neither gcc nor clang"};
}

// Beside this program: in a build tree or where it was installed.
Installation find_installation() {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  Installation found;
  found.header = (prefix / "include/jostle/instrument.h").string();
  found.library_directory = fs::path(program_library()).parent_path().string();
  return found;
}

ExitCode compile(const Language& language, int argc, char** argv) {
  const std::vector<std::string> given(argv, argv + argc);
  std::vector<std::string> words = real_compiler(language);
  std::error_code none;
  const std::string remedy = std::string("set ") + language.variable + " to your compiler";
  const std::string path = path_of(words.front());
  if (path.empty())
    return fail(ExitCode::internal, "cannot find the compiler '" + words.front() + "': " + remedy);
  if (path == fs::read_symlink("/proc/self/exe", none).string())
    return fail(ExitCode::usage, "'" + words.front() + "' is this program again: " + remedy);

  const auto task = examine(given);
  if (!task) return fail(ExitCode::usage, task.error());
  if (task->question) {
    words.insert(words.end(), given.begin(), given.end());
  } else {
    const Installation where = find_installation();
    if (task->instruments && !fs::exists(where.header, none))
      return fail(ExitCode::internal, "'" + where.header + "' is missing: install Jostle again");
    if (needs_library(*task) && where.library_directory.empty())
      return fail(ExitCode::internal,
                  "libjostle_program.so is not in the lib folder beside this program: install "
                  "Jostle again");
    const auto id = id_of(words);
    if (!id) return fail(ExitCode::internal, id.error() + ": " + remedy);
    for (std::string& a : arguments_for(*task, *id, where, given)) words.push_back(std::move(a));
  }
  std::vector<char*> pointers;
  for (std::string& w : words) pointers.push_back(w.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  return fail(ExitCode::internal, "cannot start the compiler '" + words.front() +
                                      "': " + std::strerror(errno) + "; " + remedy);
}

}  // namespace

ExitCode compile_c(int argc, char** argv) { return compile(kC, argc, argv); }
ExitCode compile_cxx(int argc, char** argv) { return compile(kCxx, argc, argv); }

}  // namespace jostle::cli

// Runs cases and compares verdicts.
//
//     verdict_gcc --dir verdict/fail/mutex --backend fibers
//     verdict_gcc --case zoo/lost_update.cc --verbose
//     verdict_gcc --dir zoo --check              by a systematic search
//
// Each case has a process of its own: one that breaks does not hide the others.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <jostle/jostle.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "options/options.h"
#include "tests/support/case.h"

namespace jostle_test {

Case*& cases() {
  static Case* first = nullptr;
  return first;
}

}  // namespace jostle_test

namespace {

// "tests/zoo/aba.cc", whatever directory the compiler was told.
std::string relative(const char* file) {
  const char* at = std::strstr(file, "tests/");
  return at ? at + 6 : file;
}

// "// CHECK: why" in a case: a check does not come to the verdict, or to the end of what passes,
// and must not promise anything.
bool out_of_reach(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("// CHECK:", 0) == 0) return true;
  return false;
}

// Options on the case's "// RUN: key=value ..." lines.
bool read_options(const std::string& path, jostle::Options& o) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("// RUN:", 0) != 0) continue;
    std::istringstream words(line.substr(7));
    for (std::string w; words >> w;)
      if (auto ok = jostle::apply_list(o, w); !ok) {
        std::printf("%s: %s\n", path.c_str(), ok.error().c_str());
        return false;
      }
  }
  return true;
}

int run_case(const jostle_test::Case& c, const std::string& root, const std::string& backend,
             const std::string& extra, bool verbose) {
  jostle::Options o;
  o.executions = 2000;
  o.quiet = true;
  o.name = relative(c.file);
  o.output = "case-output";
  if (backend == "threads") {
    o.backend = jostle::Options::Backend::threads;
    o.executions = 300;
  }
  if (!read_options(root + "/tests/" + relative(c.file), o)) return 1;
  const bool pass = std::strcmp(c.expect, "pass") == 0;
  const bool beyond = backend == "check" && out_of_reach(root + "/tests/" + relative(c.file));
  if (backend == "check") {
    o.strategy = "check";
    o.executions = pass ? (beyond ? 1'000 : 50'000) : 20'000;
    o.minimize = false;
  }
  if (auto ok = jostle::apply_list(o, extra); !ok) {
    std::printf("%s\n", ok.error().c_str());
    return 1;
  }
  // A failing case may take its time on the slow backend; a passing one would only be slow.
  if (backend == "threads" && !pass) o.executions = std::max<std::uint64_t>(o.executions, 3000);
  const jostle::Result r = jostle::run(c.body, o);
  bool good;
  if (pass) {
    good = r.ok();
  } else {
    good = r.error.empty() &&
           std::any_of(r.findings.begin(), r.findings.end(),
                       [&](const jostle::Finding& f) { return f.kind == c.expect && f.confirmed; });
    // Whatever else is found may only be a race on the way to the expected failure.
    for (const jostle::Finding& f : r.findings)
      good = good && (f.kind == c.expect || f.kind == "race");
  }
  if (backend == "check") {
    if (beyond) good = r.error.empty() && r.findings.empty() && !r.complete;
    if (pass && !beyond) good = good && r.complete;
  }
  std::string got = r.error.empty() ? "" : "error";
  for (const jostle::Finding& f : r.findings)
    got += (got.empty() ? "" : ",") + f.kind + (f.confirmed ? "" : "(unconfirmed)");
  std::string end;
  if (o.strategy == "check" && pass)
    end = r.complete ? ", complete" : ", not complete: " + r.incomplete;
  if (r.blocked > 0) end += ", " + std::to_string(r.blocked) + " blocked";
  std::printf("%s %s: expected %s, got %s after %llu executions%s\n", good ? "ok  " : "FAIL",
              relative(c.file).c_str(), c.expect, got.empty() ? "pass" : got.c_str(),
              static_cast<unsigned long long>(r.executions), end.c_str());
  if (!good || verbose) std::printf("%s\n", r.report.c_str());
  std::fflush(stdout);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string dir, name, backend = "fibers", extra, root = JOSTLE_SOURCE_DIR;
  bool verbose = false, list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (a == "--dir")
      dir = value();
    else if (a == "--case")
      name = value();
    else if (a == "--backend")
      backend = value();
    else if (a == "--check")
      backend = "check";
    else if (a == "--options")
      extra = value();
    else if (a == "--verbose")
      verbose = true;
    else if (a == "--list")
      list = true;
    else {
      std::fprintf(stderr, "unknown argument %s\n", a.c_str());
      return 2;
    }
  }
  std::vector<const jostle_test::Case*> chosen;
  for (const jostle_test::Case* c = jostle_test::cases(); c; c = c->next) {
    const std::string r = relative(c->file);
    const bool in_dir = !dir.empty() && r.rfind(dir + "/", 0) == 0 &&
                        r.find('/', dir.size() + 1) == std::string::npos;
    if (list || r == name || in_dir) chosen.push_back(c);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](auto* a, auto* b) { return std::strcmp(a->file, b->file) < 0; });
  int passed = 0, failed = 0;
  for (const auto* c : chosen) {
    if (list) {
      std::printf("%s %s\n", relative(c->file).c_str(), c->expect);
      continue;
    }
    std::fflush(stdout);
    const pid_t p = fork();
    if (p == 0) {
      const int code = run_case(*c, root, backend, extra, verbose);
      std::fflush(stdout);
      _exit(code);
    }
    int status = 0;
    waitpid(p, &status, 0);
    if (WIFSIGNALED(status))
      std::printf("FAIL %s: killed by signal %d\n", relative(c->file).c_str(), WTERMSIG(status));
    (WIFEXITED(status) && WEXITSTATUS(status) == 0 ? passed : failed)++;
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0 || (chosen.empty() && !list) ? 1 : 0;
}

// Jostle's benchmarks.
//
//     jostle_bench                    all sections
//     jostle_bench --quick zoo step   these, with less precision
//     jostle_bench cover coverage     one part of a section that has several
//     jostle_bench --csv zoo.csv zoo  the zoo's figures also as a file
//     jostle_bench --csv f.csv check  the tree of a long search, every 1000 executions, as a file
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/version.h"
#include "benchmarks/bench.h"

namespace {

using namespace jostle_bench;

constexpr Section kSections[] = {
    {"throughput", "executions per second, and what a change of kernel threads costs",
     &run_throughput},
    {"step", "one decision, with and without a change of threads", &run_step},
    {"hook", "one memory access", &run_hook},
    {"slowdown", "programs that compute: native, with libtsan, with Jostle", &run_slowdown},
    {"zoo", "executions until a known bug is found, by strategy", &run_zoo},
    {"check", "all schedules, best first: executions until a known bug is found", &run_check},
    {"script", "schedules that scripts explore until a known bug is found", &run_script},
    {"cover", "interleavings exposed, by strategy; what is predicted and what comes of it",
     &run_cover},
    {"memo", "what cover saves by remembering what other inputs have shown", &run_memo},
    {"replay", "executions repeated in fresh processes", &run_replay},
    {"program", "executions of a whole program per second", &run_program},
    {"memory", "resident memory over millions of executions", &run_memory},
};

std::string first_line_of(const char* path, const char* key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    line.erase(0, line.find_first_of(":=") + 1);
    std::erase(line, '"');
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  return "?";
}

void print_machine(const Settings& s) {
  utsname u;
  uname(&u);
  std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  double load[1] = {};
  getloadavg(load, 1);
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  std::printf("Jostle %s, %s, %s, %s mode\n", jostle::kVersion, JOSTLE_BUILD_TYPE, date,
              s.quick ? "quick" : "full");
  std::printf("  machine   %s, %ld processors, load %.2f at the start\n",
              first_line_of("/proc/cpuinfo", "model name").c_str(), sysconf(_SC_NPROCESSORS_ONLN),
              load[0]);
  std::printf("  system    %s %s, glibc %s, %s\n", u.sysname, u.release, gnu_get_libc_version(),
              first_line_of("/etc/os-release", "PRETTY_NAME").c_str());
  std::printf("  compiler  %s\n\n", compiler.c_str());
}

int usage(int code) {
  std::FILE* out = code ? stderr : stdout;
  std::fprintf(out,
               "usage: jostle_bench [--quick] [--csv FILE] [--limit SECONDS] [section...]\n"
               "       jostle_bench [--subject NAME] [--seeds N] cover "
               "[coverage|pairs|bugs|overhead]\n\nsections:\n");
  for (const Section& s : kSections) std::fprintf(out, "  %-11s %s\n", s.name, s.text);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<const Section*> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--help") return usage(0);
    if (a == "--quick") {
      settings.quick = true;
      continue;
    }
    if (a == "--limit" && i + 1 < argc) {
      settings.limit = std::atof(argv[++i]);
      continue;
    }
    if (a == "--subject" && i + 1 < argc) {
      settings.subject = argv[++i];
      continue;
    }
    if (a == "--seeds" && i + 1 < argc) {
      settings.seeds = static_cast<std::uint32_t>(std::max(1, std::atoi(argv[++i])));
      continue;
    }
    if (a == "--csv" && i + 1 < argc) {
      settings.csv = argv[++i];
      continue;
    }
    const Section* found = nullptr;
    for (const Section& s : kSections)
      if (a == s.name) found = &s;
    if (!found && !chosen.empty() && std::strcmp(chosen.back()->name, "cover") == 0) {
      settings.part = a;
      continue;
    }
    if (!found) {
      std::fprintf(stderr, "jostle_bench: unknown argument '%s'\n", a.c_str());
      return usage(2);
    }
    chosen.push_back(found);
  }
  if (chosen.empty())
    for (const Section& s : kSections) chosen.push_back(&s);

  // The figures are those of the settings named beside them.
  std::vector<std::string> ours;
  for (char** e = environ; *e; ++e)
    if (std::strncmp(*e, "JOSTLE_", 7) == 0) ours.emplace_back(*e, std::strcspn(*e, "="));
  for (const std::string& name : ours) unsetenv(name.c_str());

  print_machine(settings);
  const double start = seconds();
  int failed = 0;
  for (const Section* s : chosen) {
    std::printf("## %s: %s\n\n", s->name, s->text);
    const double begin = seconds();
    Settings own = settings;
    if (s->run == &run_check && std::find(chosen.begin(), chosen.end(), s - 1) != chosen.end())
      own.csv.clear();  // the file is the zoo's
    const double good = in_child([&] { return s->run(own) ? 1.0 : 0.0; });
    if (!(good > 0)) {
      std::printf("%s: FAILED\n", s->name);
      ++failed;
    }
    std::printf("(%s: %.1f s)\n\n", s->name, seconds() - begin);
    std::fflush(stdout);
  }
  std::printf("%.0f s in all\n", seconds() - start);
  return failed > 0 ? 1 : 0;
}

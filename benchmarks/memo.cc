// What the memo saves (Maple, OOPSLA 2012, figure 13): eight inputs in a row, each with what was
// learned from those before it and without; and whether bugs are found as before.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "base/rng.h"
#include "benchmarks/bench.h"

namespace jostle_bench {
namespace {

struct Subject {
  const char* name;
  const char* bug;
};
// What benchmarks/program/inputs.cc has.
constexpr Subject kSubjects[] = {
    {"store", "clear() counts, then removes"},
    {"pool", "two that move jobs in opposite directions"},
    {"log", "lines are dropped while the file is changed"},
    {"bank", "interest on a balance that has changed"},
};

constexpr int kInputs = 8, kTrigger = 5, kThreads = 3;
constexpr std::uint32_t kWords = 8, kKinds = 5;

// From 1 to kInputs: threads that do at least one of each kind, in another order and with other
// data each time. What a word asks for depends on its remainders by 3 and 4.
std::string input_of(int number, bool with_trigger) {
  jostle::Rng random(static_cast<std::uint64_t>(number));
  std::string text;
  for (int thread = 0; thread < kThreads; ++thread) {
    std::uint32_t words[kWords];
    for (std::uint32_t i = 0; i < kWords; ++i) words[i] = i % kKinds + 12 * random.below(20);
    for (std::uint32_t i = kWords; i > 1; --i) std::swap(words[i - 1], words[random.below(i)]);
    if (with_trigger) words[1] = 255;
    for (std::uint32_t i = 0; i < kWords; ++i)
      text += (i == 0 ? " " : ",") + std::to_string(words[i]);
  }
  return text;
}

// Of processor time that processes waited for have used. Other load does not change it much.
double used() {
  rusage u{};
  getrusage(RUSAGE_CHILDREN, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct Search {
  double seconds = 0;  // of the whole command, with reading and writing the memo
  double executions = 0;
  bool found = false, failed = false;
};

Search search(const Subject& s, int number, bool trigger, const std::string& memo,
              std::uint64_t seed, const std::string& folder) {
  const std::string command = std::string(JOSTLE_BIN) + "/jostle cover -i 20000 --output " +
                              folder + " --memo " + memo + " --seed " + std::to_string(seed) +
                              " -- " + JOSTLE_BIN + "/jostle_bench_inputs " + s.name +
                              input_of(number, trigger) + " 2>&1";
  Search r;
  const double begin = used();
  FILE* p = popen(command.c_str(), "r");
  if (!p) return {.failed = true};
  char line[500];
  while (std::fgets(line, sizeof line, p)) {
    double n = 0;
    if (std::sscanf(line, "jostle: %*s %lf execution", &n) == 1) r.executions = n;
    if (std::sscanf(line, "jostle: %*s %*d finding%*[s ]in %lf execution", &n) == 1)
      r.executions = n;
  }
  const int status = pclose(p);
  r.seconds = used() - begin;
  r.found = WIFEXITED(status) && WEXITSTATUS(status) == 1;
  r.failed = r.executions == 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1;
  return r;
}

// A folder that is gone at the end.
class Folder {
 public:
  Folder() : path_("/tmp/jostle-bench-memo-" + std::to_string(getpid())) {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

bool time_saved(const Settings& settings) {
  const std::uint64_t seeds = settings.quick ? 1 : 3;
  const Folder folder;
  std::printf(
      "Seconds of processor time for each of %d inputs in a row, medians of %d seeds: without a "
      "memo,\n"
      "with what was remembered of the inputs before, and what that saves; the same in "
      "executions.\n"
      "Maple saves 90 %% of the time at the eighth.\n\n",
      kInputs, static_cast<int>(seeds));
  std::vector<std::string> head = {"subject", ""};
  for (int i = 1; i <= kInputs; ++i) head.push_back("input " + std::to_string(i));
  Table t(head);
  bool ok = true;
  std::vector<double> eighth, eighth_executions;
  for (const Subject& s : kSubjects) {
    std::vector<std::string> rows[6] = {{s.name, "without, s"},  {"", "with, s"},
                                        {"", "saved, %"},        {"", "executions without"},
                                        {"", "executions with"}, {"", "saved, %"}};
    std::vector<double> time[2][kInputs], executions[2][kInputs];
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::string memo = folder.file(s.name + std::to_string(seed));
      for (int i = 0; i < kInputs; ++i)
        for (const bool with : {false, true}) {
          const Search r = search(s, i + 1, false, with ? memo : "none", seed, folder.file("out"));
          ok &= !r.failed && !r.found;
          time[with][i].push_back(r.seconds);
          executions[with][i].push_back(r.executions);
        }
    }
    for (int i = 0; i < kInputs; ++i) {
      const double without = median(time[0][i]), with = median(time[1][i]);
      rows[0].push_back(number(without, 3));
      rows[1].push_back(number(with, 3));
      rows[2].push_back(number(100 * (1 - with / without)));
      const double most = median(executions[0][i]), fewer = median(executions[1][i]);
      rows[3].push_back(number(most));
      rows[4].push_back(number(fewer));
      rows[5].push_back(number(100 * (1 - fewer / most)));
      if (i + 1 < kInputs) continue;
      eighth.push_back(100 * (1 - with / without));
      eighth_executions.push_back(100 * (1 - fewer / most));
    }
    for (auto& row : rows) t.row(row);
  }
  t.print();
  const auto mean = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum / static_cast<double>(v.size());
  };
  std::printf(
      "\nSaved at input %d, on average: %s %% of the time (>= 90: %s), %s %% of the executions\n",
      kInputs, number(mean(eighth)).c_str(), mean(eighth) >= 90 ? "met" : "missed",
      number(mean(eighth_executions)).c_str());
  return ok;
}

bool same_bugs(const Settings& settings) {
  const std::uint64_t seeds = settings.quick ? 1 : 5;
  const Folder folder;
  std::printf(
      "\nInputs 1 to %d, of which only the last leads to a bug: in how many of %d searches (seeds) "
      "it\n"
      "is found, and the median of the executions, without a memo and with what the others "
      "left.\n\n",
      kTrigger, static_cast<int>(seeds));
  Table t({"subject", "without", "executions", "with", "executions", "bug"});
  bool ok = true;
  for (const Subject& s : kSubjects) {
    int found[2] = {};
    std::vector<double> executions[2];
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::string memo = folder.file(s.name + std::to_string(seed));
      for (int i = 1; i < kTrigger; ++i)
        ok &= !search(s, i, false, memo, seed, folder.file("out")).failed;
      for (const bool with : {false, true}) {
        const Search r = search(s, kTrigger, true, with ? memo : "none", seed, folder.file("out"));
        ok &= !r.failed;
        found[with] += r.found;
        executions[with].push_back(r.executions);
      }
    }
    t.row({s.name, number(found[0]), number(median(executions[0])), number(found[1]),
           number(median(executions[1])), s.bug});
  }
  t.print();
  return ok;
}

}  // namespace

bool run_memo(const Settings& settings) {
  const bool first = time_saved(settings);
  return same_bugs(settings) && first;
}

}  // namespace jostle_bench

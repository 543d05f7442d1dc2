// What the memo saves (Maple, OOPSLA 2012, figure 13): eight inputs in a row, each with what was
// learned from those before it and without; and whether bugs are found as before.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/rng.h"
#include "benchmarks/bench.h"

namespace jostle_bench {
namespace {

// What benchmarks/program/inputs.cc has.
constexpr const char* kSubjects[] = {"store", "pool", "log", "bank"};
struct Bug {
  const char* subject;
  int word;  // that leads to it
  const char* text;
};
constexpr Bug kBugs[] = {
    {"store", 255, "clear() counts, then removes"},
    {"store", 254, "put() looks, then puts"},
    {"store", 253, "erase() looks, then erases"},
    {"store", 252, "a count of all is kept that is not true any more"},
    {"pool", 255, "two that move jobs in opposite directions"},
    {"pool", 254, "jobs are shared out that have changed"},
    {"pool", 253, "a job is cancelled that has been taken"},
    {"log", 255, "lines are dropped while the file is changed"},
    {"log", 254, "lines are dropped that came meanwhile"},
    {"log", 253, "a length is set that is not true any more"},
    {"bank", 255, "interest on a balance that has changed"},
    {"bank", 254, "an account is emptied that has changed"},
    {"bank", 253, "money is on its way while it is counted"},
    {"bank", 252, "two accounts are locked in both orders"},
};

constexpr int kInputs = 8, kTrigger = 5, kThreads = 3;
constexpr std::uint32_t kWords = 16, kKinds = 5;

// From 1 to kInputs: threads that do at least one of each kind, in another order and with other
// data each time. What a word asks for depends on its remainders by 3 and 4.
// `trigger`: besides, a word that leads to a bug; 0: none.
std::string input_of(int number, int trigger) {
  jostle::Rng random(static_cast<std::uint64_t>(number));
  std::string text;
  for (int thread = 0; thread < kThreads; ++thread) {
    std::uint32_t words[kWords];
    for (std::uint32_t i = 0; i < kWords; ++i) words[i] = i % kKinds + 12 * random.below(20);
    for (std::uint32_t i = kWords; i > 1; --i) std::swap(words[i - 1], words[random.below(i)]);
    if (trigger) words[1] = static_cast<std::uint32_t>(trigger);
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
  double profiled = 0;  // of them, in a search for coverage
  bool found = false, failed = false;
};

// By `jostle cover`; or by `jostle run` with a strategy.
Search search(const std::string& subject, int number, int trigger, const std::string& memo,
              std::uint64_t seed, const std::string& folder, const std::string& strategy = "") {
  const std::string json = folder + "-figures";
  const std::string how =
      strategy.empty() ? "cover --memo " + memo + " --json " + json : "run --strategy " + strategy;
  const std::string command = std::string(JOSTLE_BIN) + "/jostle " + how + " -i 20000 --output " +
                              folder + " --seed " + std::to_string(seed) + " -- " + JOSTLE_BIN +
                              "/jostle_bench_inputs " + subject + input_of(number, trigger) +
                              " 2>&1";
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
  if (strategy.empty()) {
    std::ifstream file(json);
    for (std::string word; file >> word;)
      if (word == "\"profiled\":") file >> r.profiled;
  }
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
  for (const std::string s : kSubjects) {
    std::vector<std::string> rows[6] = {{s, "without, s"},       {"", "with, s"},
                                        {"", "saved, %"},        {"", "executions without"},
                                        {"", "executions with"}, {"", "saved, %"}};
    std::vector<double> time[2][kInputs], executions[2][kInputs];
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::string memo = folder.file(s + std::to_string(seed));
      for (int i = 0; i < kInputs; ++i)
        for (const bool with : {false, true}) {
          const Search r = search(s, i + 1, 0, with ? memo : "none", seed, folder.file("out"));
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

// How one way to search fared with one bug.
struct Hunts {
  std::vector<double> profiled, tested, milliseconds;
  std::size_t found = 0;
  void add(const Search& r) {
    found += r.found;
    profiled.push_back(r.profiled);
    tested.push_back(r.found ? r.executions - r.profiled : INFINITY);
    milliseconds.push_back(1000 * r.seconds);
  }
  void append_to(std::vector<std::string>& row, bool with_profile) const {
    if (with_profile) row.push_back(number(median(profiled)));
    const double runs = median(tested);
    row.push_back(std::isfinite(runs) ? number(runs) : "-");
    row.push_back(number(median(milliseconds)));
  }
};

bool same_bugs(const Settings& settings) {
  const std::uint64_t seeds = settings.seeds > 0 ? settings.seeds : settings.quick ? 1 : 5;
  const Folder folder;
  std::printf(
      "\nInputs 1 to %d, of which only the last leads to a bug (Maple, section 6.2): profile and "
      "test runs\nuntil it is found, at most 20 000, and milliseconds of processor time for the "
      "whole command; cover\nwithout a memo, and with what the other inputs left. Medians of %d "
      "seeds. -: not found by most.\n\n",
      kTrigger, static_cast<int>(seeds));
  Table t({"bug", "cover: profile", "test", "ms", "with memo: profile", "test", "ms", "pct", "ms",
           "pct-large", "ms", "what"});
  enum Way { kWithout, kWith, kPct, kPctLarge, kWays };
  bool ok = true;
  std::size_t found[kWays] = {};
  for (const std::string subject : kSubjects) {
    const auto memo_of = [&](std::uint64_t seed) {
      return folder.file(subject + std::to_string(seed));
    };
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      for (int i = 1; i < kTrigger; ++i)
        ok &= !search(subject, i, 0, memo_of(seed), seed, folder.file("out")).failed;
    for (const Bug& bug : kBugs) {
      if (bug.subject != subject) continue;
      Hunts hunts[kWays];
      for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        for (int way = 0; way < kWays; ++way) {
          // Each bug has a memo of its own: that another was found there is no help.
          const std::string memo = folder.file("memo");
          std::filesystem::remove(memo);
          if (way == kWith) std::filesystem::copy_file(memo_of(seed), memo);
          const char* strategy = way == kPct ? "pct" : way == kPctLarge ? "pct-large" : "";
          const Search r = search(subject, kTrigger, bug.word, way == kWith ? memo : "none", seed,
                                  folder.file("out"), strategy);
          ok &= !r.failed;
          hunts[way].add(r);
        }
      std::vector<std::string> row = {subject + " " + std::to_string(bug.word)};
      for (int way = 0; way < kWays; ++way) {
        hunts[way].append_to(row, way <= kWith);
        found[way] += 2 * hunts[way].found > seeds;
      }
      row.emplace_back(bug.text);
      t.row(row);
    }
  }
  const auto n = [&](Way way) { return number(static_cast<double>(found[way])); };
  t.row({"found", "", n(kWithout), "", "", n(kWith), "", n(kPct), "", n(kPctLarge), "",
         "of " + number(std::size(kBugs))});
  t.print();
  return ok;
}

}  // namespace

bool run_memo(const Settings& settings) {
  const bool first = time_saved(settings);
  return same_bugs(settings) && first;
}

}  // namespace jostle_bench

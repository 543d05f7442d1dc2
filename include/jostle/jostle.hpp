// Jostle: finds the interleaving that breaks your test, shows it, and replays it.
//
//     TEST(Account, Deposits) {
//       jostle::Result r = jostle::run([] {
//         Account a;
//         std::thread t([&] { a.deposit(1); });
//         a.deposit(1);
//         t.join();
//         JOSTLE_ASSERT(a.balance() == 2);
//       });
//       EXPECT_TRUE(r.ok()) << r.report;
//     }
//
// With <jostle/gtest.hpp>, JOSTLE_TEST(Account, Deposits) { ... } says the same in one word.
//
// The body is called once per execution, in this process, one thread at a time. It must build
// its own state (isolation=fork gives each execution a process of its own instead). What it
// captures by reference keeps its value from one execution to the next.
#pragma once

#include <jostle/jostle.h>

#include <cstdint>
#include <functional>
#include <jostle/options.hpp>
#include <string>
#include <vector>

namespace jostle {

struct Finding {
  std::string kind;     // assertion, crash, exception, deadlock, livelock, race, heap, misuse, ...
  std::string message;  // one line
  std::string function, file;
  unsigned line = 0;
  std::string schedule;         // path of the schedule file; empty if it could not be written
  std::string report;           // the interleaving, what went wrong and how to replay it
  std::string fingerprint;      // the same bug has the same in every run
  bool confirmed = false;       // replayed exactly in a fresh process
  bool known = false;           // the baseline had it before this run
  std::uint64_t execution = 0;  // how many executions it took, this one included
};

// One interleaving that can be tested or not: an iRoot, or a pair of locks taken in succession.
struct CoverageItem {
  std::string metric;               // "iroot1" to "iroot6", by idiom, or "pair"
  std::vector<std::string> places;  // two to four: "read account.cc:12 (Account::get)"
  std::string id;                   // the same in every build, as long as those functions are
  bool exposed = false;             // by this run
  bool known = false;               // exposed by an earlier one, as the memo database says
  bool against = false;             // exposed, as the database of option `against` says
  bool predicted = false;
  std::uint32_t rank = 0;  // of what is left to be exposed, the most promising first: from 1
  std::string infeasible;  // not "": it cannot happen as the recorded executions went, and why
  // cover: what settled whether it can happen. "closure", "z3": infeasible. "plan", "saturation",
  // "z3": a schedule that was worked out exposed it; "active": the active scheduler; "sampling": an
  // execution that aimed at something else; "": nothing yet.
  std::string decided_by;
  std::uint32_t attempts = 0;   // at exposing it that failed
  std::uint64_t execution = 0;  // which exposed it first, from 1
  std::uint64_t hits = 0;       // executions that exposed it
};

// What coverage=true and cover() measure.
struct Coverage {
  bool measured = false;
  std::vector<CoverageItem> items;
  std::uint64_t profiled = 0, attempted = 0;  // cover: executions of either kind
  bool saturated = false;                     // cover: nothing is left to be tried
  double unseen = 0;      // estimate: how likely the next execution shows something new
  std::string verdict;    // is more testing worth it? One sentence.
  std::string last_run;   // when the memo's last run of this program began; "": it has none
  bool compared = false;  // with the database of option `against`
  std::vector<CoverageItem> lacking;  // exposed as `against` says, but neither now nor before
};

struct Result {
  std::uint64_t executions = 0;
  double seconds = 0;
  bool complete = false;  // every schedule within the bounds was executed
  // Of a check: why it was not; executions that turned out to be like others; all executions, with
  // those before the last scheduling point was found; most nodes of its tree at a time, and at the
  // end; how many executions it may take in all (0: nobody knows), and by how much that has moved
  // up or down lately (0: not known yet).
  std::string incomplete;
  std::uint64_t blocked = 0, executions_total = 0, peak_nodes = 0, live_nodes = 0, estimated = 0;
  double estimate_spread = 0;
  double speedup = 0;         // with several jobs: against all the work done by one process
  std::uint64_t classes = 0;  // how many of the executions differ from all others
  // Of a script: executions that ended because it waited for what could not happen; choices that
  // could not be made again as before.
  std::uint64_t unsatisfied = 0, strayed = 0;
  bool skipped = false;   // the body asked to be skipped, or the schedule is another test's
  int interrupted = 0;    // the signal that ended the search before its time (Ctrl-C)
  std::string guarantee;  // what a complete search promises, exactly
  std::string error;      // not empty: the run was asked for in a wrong way, or Jostle failed
  std::vector<Finding> findings;
  // Do not fail the run: what the baseline knows, and what update_baseline has added to it.
  std::vector<Finding> accepted;
  std::vector<std::string> notes;         // what else there is to say about the search
  std::vector<std::string> uncontrolled;  // what the program did out of Jostle's sight
  Coverage coverage;
  std::string report;  // all of it, for people

  // Nothing found that is not accepted, and something was executed (or skipped on request).
  bool ok() const { return findings.empty() && error.empty() && (executions > 0 || skipped); }
  explicit operator bool() const { return ok(); }
};

// Executes `body` under many schedules until one fails or the budget is used up. Options come
// from the code, then JOSTLE_OPTIONS and JOSTLE_<NAME>, which are stronger.
Result run(const std::function<void()>& body, const Options& options = {});

// Executes `body` under all schedules that could make a difference, the most promising ones first,
// until one fails or there are none left; the result then says so (complete, guarantee). Without
// a limit in the options, there is none.
Result check(const std::function<void()>& body, const Options& options = {});

// Executes `body` to see which interleavings it has, predicts others, and makes them happen, until
// nothing is left to be tried, one fails, or the budget is used up. Result::coverage tells.
Result cover(const std::function<void()>& body, const Options& options = {});

// While it lives, the thread is not preempted.
class Sealed {
 public:
  Sealed() { jostle_seal_begin(); }
  Sealed(const Sealed&) = delete;
  Sealed& operator=(const Sealed&) = delete;
  ~Sealed() { jostle_seal_end(); }
};

// For test frameworks: how failures of their checks reach a run. See gtest.hpp.
struct Framework {
  void* (*begin)();            // before the first execution; returns a token
  void (*end)(void* token);    // after the last
  std::string (*test_name)();  // of the running test
  std::string (*rerun_argument)(const std::string& test);  // selects that test on a command line
};
void register_framework(const Framework& framework);
// A test begins: its runs are numbered from one again.
void begin_test();
// A check failed. On a controlled thread that ends the execution, in a process that the body has
// forked that process: then it does not return.
void report_failure(const char* file, unsigned line, const char* message);
// The body does not want to be executed.
[[noreturn]] void report_skip();
bool is_controlled();

}  // namespace jostle

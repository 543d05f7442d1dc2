// Parts of libraries with a unit test each, for searches of all schedules: as in the GAMBIT paper
// (PPoPP 2010, table 1). Each has a bug that shows with few preemptions, and a twin in which only
// the bug is missing: the same code with another template argument.
//
// The bug lies in something that happens once, at the beginning of the test. What follows is
// ordinary use, in whose permutations a depth-first search gets lost: how much of it there is was
// chosen so that it does. The brief tests have next to nothing of it.
#pragma once

#include <jostle/jostle.h>

#include <mutex>
#include <thread>
#include <type_traits>

namespace jostle_bench {

struct Subject {
  const char* name;
  const char* bug;
  const char* finding;  // its kind
  void (*broken)();
  void (*correct)();
  void (*brief_correct)();  // with a test so short that all of it can be searched
  static constexpr int kLengths = 3;
  void (*brief_broken[kLengths])();  // the same, and one and two rounds more
  const Subject* next = nullptr;
};

// All that are linked into this program, in no particular order.
const Subject*& subjects();

// How many rounds of ordinary use there are, and how many in the shortest of the brief tests.
template <int kTail, int kBrief = 1>
struct Lengths {};

class Enlist {
 public:
  // The test is called with std::bool_constant (is the bug there?) and std::integral_constant
  // (rounds).
  template <int kTail, int kBrief, class Test>
  Enlist(const char* name, const char* bug, const char* finding, Lengths<kTail, kBrief>, Test)
      : subject_{
            name,
            bug,
            finding,
            &run<Test, true, kTail>,
            &run<Test, false, kTail>,
            &run<Test, false, kBrief>,
            {&run<Test, true, kBrief>, &run<Test, true, kBrief + 1>, &run<Test, true, kBrief + 2>},
            subjects()} {
    subjects() = &subject_;
  }

 private:
  template <class Test, bool kBroken, int kTail>
  static void run() {
    Test()(std::bool_constant<kBroken>(), std::integral_constant<int, kTail>());
  }
  Subject subject_;
};

// Runs them on a thread each, and waits for all.
template <class... F>
void together(F... f) {
  std::thread threads[] = {std::thread(f)...};
  for (std::thread& t : threads) t.join();
}

// Where the threads of a test say what they have done.
class Tally {
 public:
  void add(int n) {
    const std::lock_guard lock(mutex_);
    total_ += n;
  }
  void add_each(int times) {
    for (int i = 0; i < times; ++i) add(1);
  }
  int total() {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  std::mutex mutex_;
  int total_ = 0;
};

}  // namespace jostle_bench

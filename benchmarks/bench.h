// What the sections share: registration, child processes, timing, tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/engine.h"

namespace jostle_bench {

struct Settings {
  bool quick = false;
  double limit = 0;  // seconds that check may take for one search; 0: as it sees fit
  std::string part;  // of the section: cover has several; empty: all
  std::string csv;   // file for figures of the zoo, or of check; empty: none
  // Of cover: only this one, and how many seeds; empty, 0: all, as it sees fit.
  std::string subject;
  std::uint32_t seeds = 0;
};

// A section runs in a process of its own. It returns false if something did not work at all; a
// missed target is not that.
struct Section {
  const char* name;
  const char* text;
  bool (*run)(const Settings&);
};

bool run_throughput(const Settings&);
bool run_step(const Settings&);
bool run_hook(const Settings&);
bool run_slowdown(const Settings&);
bool run_zoo(const Settings&);
bool run_replay(const Settings&);
bool run_check(const Settings&);
bool run_script(const Settings&);
bool run_cover(const Settings&);
bool run_memo(const Settings&);
bool run_memory(const Settings&);
bool run_program(const Settings&);

double seconds();      // monotonic
double cpu_seconds();  // that this process has used
// What a program of workload/ takes without Jostle.
double native_seconds(const char* workload);

// Calls f in a forked child; what it returns comes back. NaN if the child died.
double in_child(const std::function<double()>& f);
// Calls f(0) ... f(count - 1), each in a forked child, as many at a time as there are processors.
// What they write to memory from shared_array() comes back. Returns how many died.
int in_children(int count, const std::function<void(int)>& f);
template <class T>
T* shared_array(std::size_t n) {
  return static_cast<T*>(jostle::map_pages(n * sizeof(T), true));
}

void pin_to_one_core();
void silence();  // stdout and stderr of this process go nowhere

double median(std::vector<double> v);

// Cells in columns, as Markdown. The first column is text, the others are numbers.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double v, int digits = 0);                  // "12 345.6"; "-" for NaN
std::string target(double v, double limit, const char* unit);  // "<= 60 ns: met"

// The engine of this process with default settings, without run() around it.
class Controlled {
 public:
  explicit Controlled(bool kernel_threads = false);
  const jostle::Outcome& execute(jostle::Strategy& strategy, void (*body)(void*),
                                 void* context = nullptr);
  const jostle::Outcome& execute(jostle::Strategy& strategy, void (*body)()) {
    return execute(
        strategy, [](void* f) { reinterpret_cast<void (*)()>(f)(); },
        reinterpret_cast<void*>(body));
  }

 private:
  jostle::Engine& engine_;
  std::uint64_t executions_ = 0;
};

// At every decision the next thread in turn; the least a strategy can do.
class Alternate final : public jostle::Strategy {
 public:
  jostle::ThreadId pick(const jostle::View& v) override;
};
// The running thread as long as it can.
class Stay final : public jostle::Strategy {
 public:
  jostle::ThreadId pick(const jostle::View& v) override {
    return v.running_enabled() ? v.running : v.enabled().first();
  }
};

}  // namespace jostle_bench

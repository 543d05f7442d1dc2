// Google Benchmark for what takes nanoseconds inside a controlled execution. Time is virtual in
// there, so whole executions are timed from outside and divided by the number of operations.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace jostle_bench {

// One measured execution: how long it took and how many operations it made.
struct Sample {
  double seconds = 0;
  double operations = 0;
};

class Micro {
 public:
  // limit 0: no target.
  void add(std::string name, double limit, std::function<Sample()> sample);
  // Prints nanoseconds per operation: median and minimum of the repetitions.
  bool run(const char* title, bool quick);

 private:
  struct Entry {
    std::string name;
    double limit;
    std::function<Sample()> sample;
  };
  std::vector<Entry> entries_;
};

}  // namespace jostle_bench

#include "benchmarks/micro.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "benchmarks/bench.h"

namespace jostle_bench {
namespace {

class Collect final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs)
      if (r.run_type == Run::RT_Iteration && !r.error_occurred)
        ns[r.run_name.function_name].push_back(1e9 * r.counters.at("operation"));
  }
  std::map<std::string, std::vector<double>> ns;
};

}  // namespace

void Micro::add(std::string name, double limit, std::function<Sample()> sample) {
  entries_.push_back({std::move(name), limit, std::move(sample)});
}

bool Micro::run(const char* title, bool quick) {
  char program[] = "jostle_bench", interleave[] = "--benchmark_enable_random_interleaving=true";
  char* argv[] = {program, interleave, nullptr};
  int argc = 2;
  benchmark::Initialize(&argc, argv);
  for (const Entry& e : entries_)
    benchmark::RegisterBenchmark(e.name.c_str(),
                                 [&e](benchmark::State& state) {
                                   double operations = 0;
                                   for (auto _ : state) {
                                     const Sample s = e.sample();
                                     state.SetIterationTime(s.seconds);
                                     operations += s.operations;
                                   }
                                   using benchmark::Counter;
                                   state.counters["operation"] =
                                       Counter(operations, Counter::kIsRate | Counter::kInvert);
                                 })
        ->UseManualTime()
        ->MinTime(quick ? 0.02 : 0.2)
        ->Repetitions(quick ? 3 : 9);
  Collect collect;
  benchmark::RunSpecifiedBenchmarks(&collect, "all");
  Table table({title, "ns", "minimum", "target"});
  bool good = true;
  for (const Entry& e : entries_) {
    const std::vector<double>& v = collect.ns[e.name];
    good = good && !v.empty();
    const double m = median(v);
    table.row({e.name, number(m, 1),
               v.empty() ? "-" : number(*std::min_element(v.begin(), v.end()), 1),
               e.limit > 0 ? target(m, e.limit, "ns") : ""});
  }
  table.print();
  return good;
}

}  // namespace jostle_bench

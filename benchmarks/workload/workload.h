// Programs that compute: what instrumentation costs them.
#pragma once

namespace jostle_bench {

struct Workload {
  const char* name;
  const char* text;
  void (*run)();  // with a second thread, which waits until the work is done
};

inline constexpr int kWorkloads = 4;
extern const Workload kWorkload[kWorkloads];

}  // namespace jostle_bench

// A program without a test framework: plain_main broken|fixed.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <jostle/jostle.hpp>
#include <thread>

int main(int argc, char** argv) {
  const bool broken = argc > 1 && std::strcmp(argv[1], "broken") == 0;
  const jostle::Result r = jostle::run(
      [broken] {
        std::atomic<int> n{0};
        auto work = [&] {
          if (broken)
            n.store(n.load() + 1);
          else
            n.fetch_add(1);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
        JOSTLE_ASSERT(n == 2);
      },
      {.executions = 1000, .name = "counter"});
  std::printf("executions %llu findings %zu %s\n", static_cast<unsigned long long>(r.executions),
              r.findings.size(), r.skipped ? "skipped" : "");
  return r.ok() ? 0 : 1;
}

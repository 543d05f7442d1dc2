// A program with a bug, for tests of the jostle command and of results:
// cli_target [NAME [THREADS [RUNS]]]. With the name "killed" it does not survive its body.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <jostle/jostle.hpp>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "counter";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const auto body = [&] {
    if (name == "killed") std::raise(SIGKILL);
    std::atomic<int> counter{0};
    const auto increment = [&] { counter = counter + 1; };
    std::vector<std::thread> others;
    for (int i = 0; i < threads; ++i) others.emplace_back(increment);
    increment();
    for (std::thread& t : others) t.join();
    JOSTLE_ASSERT(counter == threads + 1);
  };
  bool ok = true;
  for (int runs = argc > 3 ? std::atoi(argv[3]) : 1; runs > 0; --runs)
    ok &= jostle::run(body, {.name = name}).ok();
  return ok ? 0 : 1;
}

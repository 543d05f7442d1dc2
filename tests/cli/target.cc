// A program with a bug, for tests of the jostle command: cli_target [NAME [THREADS]]
#include <atomic>
#include <cstdlib>
#include <jostle/jostle.hpp>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const auto body = [threads] {
    std::atomic<int> counter{0};
    const auto increment = [&] { counter = counter + 1; };
    std::vector<std::thread> others;
    for (int i = 0; i < threads; ++i) others.emplace_back(increment);
    increment();
    for (std::thread& t : others) t.join();
    JOSTLE_ASSERT(counter == threads + 1);
  };
  return jostle::run(body, {.name = argc > 1 ? argv[1] : "counter"}).ok() ? 0 : 1;
}

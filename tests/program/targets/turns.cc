// So many threads take a lock so many times; with a third argument, one of the totals is wrong.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const int threads = std::atoi(argv[1]), times = std::atoi(argv[2]);
  std::mutex m;
  int total = 0, last = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&, i] {
      for (int k = 0; k < times; ++k) {
        const std::lock_guard lock(m);
        ++total;
        last = i;
      }
    });
  for (std::thread& t : all) t.join();
  return total == threads * times && (argc < 4 || last == threads - 1) ? 0 : 3;
}

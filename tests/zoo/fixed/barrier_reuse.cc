// barrier_reuse with a generation number.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Barrier {
  std::mutex m;
  std::condition_variable c;
  int count = 0, generation = 0;
  void Wait() {
    std::unique_lock<std::mutex> lock(m);
    int mine = generation;
    if (++count == 2) {
      count = 0;
      ++generation;
      c.notify_all();
    } else {
      while (generation == mine) c.wait(lock);
    }
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Barrier barrier;
  auto work = [&] {
    barrier.Wait();
    barrier.Wait();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(barrier.generation == 2);
}

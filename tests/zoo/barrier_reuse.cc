// A home-made barrier without a generation: a quick thread enters the next round before a slow
// one has left, and both wait.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Barrier {
  std::mutex m;
  std::condition_variable c;
  int count = 0;
  void Wait() {
    std::unique_lock<std::mutex> lock(m);
    if (++count == 2) {
      count = 0;
      c.notify_all();
    } else {
      while (count != 0) c.wait(lock);
    }
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Barrier barrier;
  auto work = [&] {
    barrier.Wait();
    barrier.Wait();
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}

// thread_pool_shutdown with the flag under the mutex.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Pool {
  std::mutex m;
  std::condition_variable c;
  std::deque<int> jobs;
  bool stop = false;
  int done = 0;
  void Work() {
    std::unique_lock<std::mutex> lock(m);
    for (;;) {
      while (jobs.empty() && !stop) c.wait(lock);
      if (jobs.empty()) return;
      jobs.pop_front();
      ++done;
    }
  }
};

}  // namespace

JOSTLE_CASE("pass") {
  Pool pool;
  std::thread w1([&] { pool.Work(); });
  std::thread w2([&] { pool.Work(); });
  {
    std::lock_guard<std::mutex> lock(pool.m);
    pool.jobs.push_back(1);
    pool.c.notify_one();
  }
  {
    std::lock_guard<std::mutex> lock(pool.m);
    pool.stop = true;
  }
  pool.c.notify_all();
  w1.join();
  w2.join();
  assert(pool.done == 1 && pool.jobs.empty());
}

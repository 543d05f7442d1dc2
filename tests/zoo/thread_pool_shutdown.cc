// The pool's destructor sets the stop flag without the queue's mutex: a worker that has just seen
// "not stopped" goes to sleep for ever.
#include <atomic>
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
  std::atomic<bool> stop{false};
  void Work() {
    std::unique_lock<std::mutex> lock(m);
    for (;;) {
      while (jobs.empty() && !stop.load()) c.wait(lock);
      if (jobs.empty()) return;
      jobs.pop_front();
    }
  }
};

}  // namespace

JOSTLE_CASE("deadlock") {
  Pool pool;
  std::thread w1([&] { pool.Work(); });
  std::thread w2([&] { pool.Work(); });
  {
    std::lock_guard<std::mutex> lock(pool.m);
    pool.jobs.push_back(1);
    pool.c.notify_one();
  }
  pool.stop.store(true);
  pool.c.notify_all();
  w1.join();
  w2.join();
}

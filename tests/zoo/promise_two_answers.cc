// A reply and its timeout both find the request pending and both complete the promise:
// std::future_error in one of the threads.
#include <future>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("exception") {
  std::promise<int> promise;
  auto reply = promise.get_future();
  std::mutex m;
  bool pending = true;
  auto complete = [&](int value) {
    m.lock();
    bool mine = pending;
    m.unlock();
    if (!mine) return;
    promise.set_value(value);
    m.lock();
    pending = false;
    m.unlock();
  };
  std::thread answer(complete, 1), timeout(complete, -1);
  answer.join();
  timeout.join();
  assert(reply.get() != 0);
}

// A packaged_task run by another thread; its exception comes out of get.
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::packaged_task<int(int)> task([](int x) {
    if (x < 0) throw std::out_of_range("negative");
    return x * 2;
  });
  auto future = task.get_future();
  std::thread t(std::move(task), 21);
  assert(future.get() == 42);
  t.join();
  std::packaged_task<void()> throwing([] { throw std::out_of_range("always"); });
  auto failing = throwing.get_future();
  std::thread u(std::move(throwing));
  bool caught = false;
  try {
    failing.get();
  } catch (const std::out_of_range&) {
    caught = true;
  }
  assert(caught);
  u.join();
}

// std::atomic_flag has wait and notify too; wait with another value returns at once.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  int data = 0;
  flag.wait(true);
  std::thread t([&] {
    flag.wait(false);
    assert(flag.test());
    assert(data == 1);
  });
  data = 1;
  flag.test_and_set();
  flag.notify_one();
  t.join();
}

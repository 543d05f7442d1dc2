// SCTBench lazy01_bad: the third thread relies on not being the last one.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  int data = 0;
  std::thread t1([&] {
    std::lock_guard<std::mutex> lock(m);
    data += 1;
  });
  std::thread t2([&] {
    std::lock_guard<std::mutex> lock(m);
    data += 2;
  });
  std::thread t3([&] {
    std::lock_guard<std::mutex> lock(m);
    assert(data < 3);
  });
  t1.join();
  t2.join();
  t3.join();
}

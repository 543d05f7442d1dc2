// SCTBench twostage_bad: data1 and data2 are set in two critical sections; a reader sees the
// first without the second.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m1, m2;
  int data1 = 0, data2 = 0;
  std::thread writer([&] {
    m1.lock();
    data1 = 1;
    m1.unlock();
    m2.lock();
    data2 = data1 + 1;
    m2.unlock();
  });
  std::thread reader([&] {
    m1.lock();
    int t1 = data1;
    m1.unlock();
    if (t1 == 0) return;
    m2.lock();
    int t2 = data2;
    m2.unlock();
    assert(t2 == t1 + 1);
  });
  writer.join();
  reader.join();
}

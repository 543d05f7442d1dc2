// SCTBench twostage with three writers and one reader: the first value must come from a writer
// none of whose companions has finished.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m1, m2;
  int data1 = 0, data2 = 0;
  auto write = [&] {
    m1.lock();
    data1 = 1;
    m1.unlock();
    m2.lock();
    data2 = 2;
    m2.unlock();
  };
  std::thread w1(write), w2(write), w3(write);
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
  w1.join();
  w2.join();
  w3.join();
  reader.join();
}

// Three subsystems, each calls the next with its own lock held: a cycle of three locks.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  std::mutex disk, net, log;
  auto flush = [&] {
    std::lock_guard<std::mutex> a(disk);
    std::lock_guard<std::mutex> b(log);
  };
  auto send = [&] {
    std::lock_guard<std::mutex> a(net);
    std::lock_guard<std::mutex> b(disk);
  };
  auto report = [&] {
    std::lock_guard<std::mutex> a(log);
    std::lock_guard<std::mutex> b(net);
  };
  std::thread t1(flush), t2(send), t3(report);
  t1.join();
  t2.join();
  t3.join();
}

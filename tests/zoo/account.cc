// SCTBench account_bad: deposit and withdrawal are locked, but the withdrawal uses a balance it
// read before it took the lock.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::mutex m;
  int balance = 100;
  bool deposited = false, withdrawn = false;
  std::thread deposit([&] {
    std::lock_guard<std::mutex> lock(m);
    balance += 50;
    deposited = true;
  });
  std::thread withdraw([&] {
    m.lock();
    int seen = balance;
    m.unlock();
    std::lock_guard<std::mutex> lock(m);
    balance = seen - 30;
    withdrawn = true;
  });
  deposit.join();
  withdraw.join();
  assert(deposited && withdrawn && balance == 120);
}

// bank_transfer with an auditor that holds both locks.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Account {
  std::mutex m;
  int balance = 50;
};

}  // namespace

JOSTLE_CASE("pass") {
  Account x, y;
  std::thread transfer([&] {
    std::scoped_lock lock(x.m, y.m);
    x.balance -= 20;
    y.balance += 20;
  });
  int total = 0;
  {
    std::scoped_lock lock(y.m, x.m);
    total = x.balance + y.balance;
  }
  transfer.join();
  assert(total == 100);
}

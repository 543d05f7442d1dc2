// Transfers lock the source account, then the target: opposite transfers deadlock. Known from
// every textbook on locking.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Account {
  std::mutex m;
  int balance = 10;
};
void Transfer(Account& from, Account& to, int amount) {
  std::lock_guard<std::mutex> lock_from(from.m);
  std::lock_guard<std::mutex> lock_to(to.m);
  from.balance -= amount;
  to.balance += amount;
}

}  // namespace

JOSTLE_CASE("deadlock") {
  Account x, y;
  std::thread a([&] { Transfer(x, y, 3); });
  std::thread b([&] { Transfer(y, x, 4); });
  a.join();
  b.join();
  assert(x.balance + y.balance == 20);
}

// lock_order_2 with both locks taken by std::scoped_lock.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Account {
  std::mutex m;
  int balance = 10;
};
void Transfer(Account& from, Account& to, int amount) {
  std::scoped_lock lock(from.m, to.m);
  from.balance -= amount;
  to.balance += amount;
}

}  // namespace

JOSTLE_CASE("pass") {
  Account x, y;
  std::thread a([&] { Transfer(x, y, 3); });
  std::thread b([&] { Transfer(y, x, 4); });
  a.join();
  b.join();
  assert(x.balance == 11 && y.balance == 9);
}

// The auditor locks the accounts one after the other: a transfer between the two looks makes
// money appear or vanish.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Account {
  std::mutex m;
  int balance = 50;
};

}  // namespace

JOSTLE_CASE("assertion") {
  Account x, y;
  std::thread transfer([&] {
    std::scoped_lock lock(x.m, y.m);
    x.balance -= 20;
    y.balance += 20;
  });
  int total = 0;
  for (Account* account : {&x, &y}) {
    std::lock_guard<std::mutex> lock(account->m);
    total += account->balance;
  }
  transfer.join();
  assert(total == 100);
}

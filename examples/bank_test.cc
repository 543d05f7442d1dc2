// A bug that ThreadSanitizer cannot see: every access is under the mutex, but the check and the
// withdrawal are two critical sections.
#include <jostle/gtest.hpp>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() {
    std::lock_guard lock(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    if (balance() < amount) return;
    std::lock_guard lock(mutex_);
    balance_ -= amount;
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

JOSTLE_TEST(Account, IsNeverOverdrawn) {
  Account account;
  std::thread other([&] { account.withdraw(100); });
  account.withdraw(60);
  other.join();
  EXPECT_GE(account.balance(), 0);
}

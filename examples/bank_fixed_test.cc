// bank_test.cc without its bug: the check and the withdrawal are one critical section.
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
    std::lock_guard lock(mutex_);
    if (balance_ < amount) return;
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

// Transfers with ordered locks, a history, and an auditor that starts again if something moved.
#include <atomic>
#include <mutex>

#include "benchmarks/cover/subject.h"

namespace {

struct Account {
  std::mutex mutex;
  int balance = 10;
  int moves = 0;
};

class Bank {
 public:
  void transfer(int from, int to, int amount) {
    Account &a = accounts_[from < to ? from : to], &b = accounts_[from < to ? to : from];
    const std::lock_guard first(a.mutex);
    const std::lock_guard second(b.mutex);
    if (accounts_[from].balance < amount) {
      refused_.fetch_add(1);
      return;
    }
    accounts_[from].balance -= amount;
    accounts_[to].balance += amount;
    ++accounts_[from].moves;
    ++accounts_[to].moves;
    const std::lock_guard history(history_mutex_);
    history_ += amount;
  }
  int audit() {
    for (int attempt = 0; attempt < 2; ++attempt) {
      int before = 0, total = 0, after = 0;
      for (Account& a : accounts_) {
        const std::lock_guard lock(a.mutex);
        before += a.moves;
        total += a.balance;
      }
      for (Account& a : accounts_) {
        const std::lock_guard lock(a.mutex);
        after += a.moves;
      }
      if (before == after) return total;
    }
    const std::lock_guard history(history_mutex_);
    return -history_;
  }

 private:
  Account accounts_[3];
  std::mutex history_mutex_;
  int history_ = 0;
  std::atomic<int> refused_{0};
};

void bank() {
  Bank b;
  std::thread x([&] {
    b.transfer(0, 1, 8);
    b.transfer(2, 0, 4);
  });
  std::thread y([&] {
    b.transfer(0, 2, 5);
    b.transfer(1, 2, 15);
  });
  b.audit();
  x.join();
  y.join();
}

const jostle_bench::CoverSubject kSubject("bank with audit", &bank);

}  // namespace

// From a suspicion to the schedule: scripts that say how a bug happens.
#include <gtest/gtest.h>

#include <jostle/gtest.hpp>
#include <jostle/script.hpp>
#include <mutex>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  int balance = 100;

  int read() {
    std::lock_guard lock(mutex);
    return balance;
  }
  void write(int b) {
    std::lock_guard lock(mutex);
    balance = b;
  }
};

[[gnu::noinline]] void withdraw(Account& a, int amount) {
  const int before = a.read();
  JOSTLE_POINT("checked");
  if (before >= amount) a.write(before - amount);
}

void two_customers() {
  Account a;
  std::thread x([&] { withdraw(a, 30); }), y([&] { withdraw(a, 50); });
  x.join();
  y.join();
  JOSTLE_ASSERT(a.balance == 20);
}

using namespace jostle::scripting;

// Is it concurrency at all? One customer after the other, in every order.
TEST(Withdraw, OneAfterTheOther) {
  const auto script = [] {
    const auto [x, y] = wait_for_distinct_threads<2>(starts);
    while (!has_ended(x) || !has_ended(y)) run_until(choose_thread(x + y), ends);
  };
  const jostle::Result r = jostle::script(two_customers, script, {.quiet = true});
  EXPECT_TRUE(r.complete) << r.report;
}

// It must be in withdraw(): all ways in which two calls of it interleave.
TEST(Withdraw, Interleaved) {
  const auto script = [] { search_in_functions(2, {"withdraw"}); };
  const jostle::Result r = jostle::script(two_customers, script, {.quiet = true});
  EXPECT_TRUE(r.ok()) << r.report;
}

// The schedule itself, for the bug report and as a regression test.
TEST(Withdraw, Exactly) {
  const auto script = [] {
    const auto [x, y] = wait_for_distinct_threads<2>(enters("withdraw"));
    run_until(x, at_point("checked"));
    run_until(y, ends);
    run_until(x, ends);
  };
  const jostle::Result r = jostle::script(two_customers, script, {.quiet = true});
  EXPECT_TRUE(r.ok()) << r.report;
}

}  // namespace

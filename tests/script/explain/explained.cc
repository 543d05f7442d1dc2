// Findings that become scripts.
//   explained CASE         searches and saves the schedule; ends with 0 if something was found
//   explained CASE again   carries out the script that was made of it, 100 times
#include <cstdio>
#include <cstring>
#include <jostle/script.hpp>
#include <mutex>
#include <thread>

namespace overdrawn {
#include "tests/script/explain/overdrawn.hpp"
}
namespace crossed {
#include "tests/script/explain/crossed.hpp"
}

namespace {

struct Account {
  std::mutex mutex;
  int balance = 100;
  int read() {
    const std::lock_guard lock(mutex);
    return balance;
  }
  void take(int amount) {
    const std::lock_guard lock(mutex);
    balance -= amount;
  }
};

void overdraw() {
  Account a;
  const auto withdraw = [&](int amount) {
    for (int i = 0; i < 3; ++i)
      if (a.read() >= amount) a.take(amount);
  };
  std::thread other(withdraw, 40);
  withdraw(30);
  other.join();
  JOSTLE_ASSERT(a.balance >= 0);
}

void cross() {
  std::mutex m1, m2;
  std::thread other([&] {
    const std::lock_guard l2(m2);
    const std::lock_guard l1(m1);
  });
  {
    const std::lock_guard l1(m1);
    const std::lock_guard l2(m2);
  }
  other.join();
}

struct Case {
  const char* name;
  const char* finding;
  void (*body)();
  void (*script)();
};
constexpr Case kCases[] = {
    {"overdrawn", "assertion", &overdraw, &overdrawn::failing_schedule},
    {"crossed", "deadlock", &cross, &crossed::failing_schedule},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    if (argc < 2 || std::strcmp(argv[1], c.name) != 0) continue;
    if (argc == 2) return jostle::run(c.body, {.name = c.name, .quiet = true}).ok() ? 1 : 0;
    for (int i = 0; i < 100; ++i) {
      const jostle::Result r =
          jostle::script(c.body, c.script, {.minimize = false, .output = "again", .quiet = true});
      if (r.executions == 1 && r.findings.size() == 1 && r.findings[0].kind == c.finding &&
          r.findings[0].confirmed)
        continue;
      std::printf("execution %d: %s\n", i, r.report.c_str());
      return 1;
    }
    return 0;
  }
  return 2;
}

// Instead of sampling, execute every schedule that makes a difference, and say what that proves.
#include <cstdio>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

static void body() {
  std::mutex mutex;
  int counter = 0;
  auto increment = [&] {
    std::lock_guard lock(mutex);
    ++counter;
  };
  std::thread other(increment);
  increment();
  other.join();
  JOSTLE_ASSERT(counter == 2);
}

int main() {
  const jostle::Result r = jostle::check(body, {.name = "every schedule"});
  if (r.complete) std::printf("%s\n", r.guarantee.c_str());
  return r.ok() && r.complete ? 0 : 1;
}

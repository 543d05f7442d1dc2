// No test framework: call jostle::run() and look at the result. The bug is a pointer that is read
// twice, and null the second time.
#include <atomic>
#include <cstdio>
#include <jostle/jostle.hpp>
#include <thread>

static void body() {
  std::atomic<int*> message{nullptr};
  int text = 42;
  std::thread sender([&] {
    message = &text;
    message = nullptr;  // taken back
  });
  if (message != nullptr) JOSTLE_ASSERT(*message == 42);
  sender.join();
}

int main() {
  const jostle::Result r = jostle::run(body, {.name = "plain"});  // prints what it finds
  std::printf("%zu finding(s) after %llu executions\n", r.findings.size(),
              static_cast<unsigned long long>(r.executions));
  return r.ok() ? 0 : 1;
}

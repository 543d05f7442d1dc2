// A stop_callback runs exactly once: in the requesting thread or in its constructor. Destroying it
// waits for a call in progress.
#include <atomic>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::stop_source source;
  std::atomic<int> calls{0};
  bool deregistered_in_time = false;
  std::jthread registers([&, token = source.get_token()] {
    {
      std::stop_callback callback(token, [&] { calls.fetch_add(1); });
      std::this_thread::yield();
    }
    deregistered_in_time = calls.load() == 0;
  });
  assert(source.request_stop());
  registers.join();
  assert(calls.load() == (deregistered_in_time ? 0 : 1));
}

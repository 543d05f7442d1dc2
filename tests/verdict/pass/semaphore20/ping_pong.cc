// Two binary semaphores hand plain data back and forth.
#include <semaphore>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::binary_semaphore ping(1), pong(0);
  int data = 0;
  std::thread t([&] {
    for (int i = 0; i < 2; ++i) {
      pong.acquire();
      assert(data == 2 * i + 1);
      ++data;
      ping.release();
    }
  });
  for (int i = 0; i < 2; ++i) {
    ping.acquire();
    assert(data == 2 * i);
    ++data;
    pong.release();
  }
  t.join();
  assert(data == 4);
}

// Two threads alternate through two condition variables of one mutex.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex m;
  std::condition_variable ping, pong;
  int turn = 0, rounds = 0;
  std::thread t([&] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock<std::mutex> lock(m);
      pong.wait(lock, [&] { return turn == 1; });
      ++rounds;
      turn = 0;
      ping.notify_one();
    }
  });
  for (int i = 0; i < 2; ++i) {
    std::unique_lock<std::mutex> lock(m);
    ping.wait(lock, [&] { return turn == 0; });
    ++rounds;
    turn = 1;
    pong.notify_one();
  }
  t.join();
  assert(rounds == 4);
}

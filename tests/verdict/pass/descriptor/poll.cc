// Readiness orders, too: of an event counter that poll() watches, and of a pipe whose other end is
// closed.
// CHECK: the program uses files or sockets in several threads
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int ends[2];
  assert(pipe(ends) == 0);
  const int counter = eventfd(0, 0);
  int first = 0, second = 0;
  std::thread t([&] {
    first = 1;
    const std::uint64_t one = 1;
    assert(write(counter, &one, sizeof one) == sizeof one);
    second = 1;
    close(ends[1]);
  });
  pollfd ready = {counter, POLLIN, 0};
  assert(poll(&ready, 1, -1) == 1 && first == 1);
  pollfd closed = {ends[0], POLLIN, 0};
  assert(poll(&closed, 1, -1) == 1 && second == 1);
  t.join();
  close(ends[0]);
  close(counter);
}

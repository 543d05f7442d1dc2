// What was written before a pipe, a socket or an eventfd was is known to whoever has read that.
// CHECK: the program uses files or sockets in several threads
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "tests/support/case.h"

static int hand_over(int to, int from) {
  int value = 0;
  std::thread other([&] {
    value = 42;
    const std::uint64_t one = 1;
    assert(write(to, &one, sizeof one) == sizeof one);
  });
  std::uint64_t got = 0;
  assert(read(from, &got, sizeof got) == sizeof got && got == 1);
  const int seen = value;
  other.join();
  close(to);
  if (from != to) close(from);
  return seen;
}

JOSTLE_CASE("pass") {
  int ends[2];
  assert(pipe(ends) == 0);
  assert(hand_over(ends[1], ends[0]) == 42);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  assert(hand_over(ends[1], ends[0]) == 42);
  const int event = eventfd(0, 0);
  assert(hand_over(event, event) == 42);
}

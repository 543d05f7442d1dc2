// A read of a timerfd waits for virtual time, and tells how often it has run out.
// CHECK: the program uses timers
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  assert(fd >= 0);
  const itimerspec every = {{3600, 0}, {3600, 0}};
  assert(timerfd_settime(fd, 0, &every, nullptr) == 0);
  int data = 0;
  std::thread reader([&] {
    std::uint64_t n = 0;
    assert(read(fd, &n, sizeof n) == sizeof n && n >= 1);
    ++data;
  });
  reader.join();
  assert(data == 1);
  close(fd);
}

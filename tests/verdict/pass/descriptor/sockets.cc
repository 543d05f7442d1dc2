// A connection and what is sent through it order what both sides do.
// CHECK: it has too many schedules to execute all of them here
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  int request = 0, answer = 0;
  std::thread server([&] {
    char byte = 0;
    assert(recv(ends[1], &byte, 1, 0) == 1);
    answer = request + 1;
    assert(send(ends[1], &byte, 1, 0) == 1);
  });
  request = 4;
  char byte = 0;
  assert(send(ends[0], &byte, 1, 0) == 1);
  assert(recv(ends[0], &byte, 1, 0) == 1);
  assert(answer == 5);
  server.join();
  close(ends[0]);
  close(ends[1]);
}

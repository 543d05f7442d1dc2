// sem_open, sem_close and sem_unlink: a semaphore that has a name is the same for all who open it.
// CHECK: the program uses files or sockets in several threads
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  char name[64];
  std::snprintf(name, sizeof name, "/jostle-named-%d", getpid());
  sem_unlink(name);  // of a process with the same number
  assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  sem_t* s = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  assert(s != SEM_FAILED);
  assert(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
  int value = -1;
  assert(sem_getvalue(s, &value) == 0 && value == 1);
  assert(sem_wait(s) == 0);
  int data = 0;
  std::thread t([&] {
    sem_t* again = sem_open(name, 0);
    assert(again == s);
    data = 1;
    assert(sem_post(again) == 0);
    assert(sem_close(again) == 0);
  });
  assert(sem_wait(s) == 0);
  assert(data == 1);
  t.join();
  assert(sem_trywait(s) == -1 && errno == EAGAIN);
  assert(sem_unlink(name) == 0);
  assert(sem_unlink(name) == -1 && errno == ENOENT);
  assert(sem_close(s) == 0);
}

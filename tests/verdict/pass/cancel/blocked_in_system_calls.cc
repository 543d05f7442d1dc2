// read(), poll(), select(), accept() and sigwait() are cancellation points: a thread that waits in
// one leaves it when it is cancelled; one that was cancelled before does not come to wait.
// CHECK: the program cancels threads
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "tests/support/case.h"

namespace {

int pipe_ends[2], listener;
std::atomic<int> cleaned;

void CleanUp(void*) { cleaned.fetch_add(1); }

void* Read(void*) {
  pthread_cleanup_push(CleanUp, nullptr);
  char c;
  (void)!read(pipe_ends[0], &c, 1);
  pthread_cleanup_pop(0);
  return nullptr;
}
void* Poll(void*) {
  pthread_cleanup_push(CleanUp, nullptr);
  pollfd p{pipe_ends[0], POLLIN, 0};
  poll(&p, 1, -1);
  pthread_cleanup_pop(0);
  return nullptr;
}
void* Select(void*) {
  pthread_cleanup_push(CleanUp, nullptr);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(pipe_ends[0], &set);
  select(pipe_ends[0] + 1, &set, nullptr, nullptr, nullptr);
  pthread_cleanup_pop(0);
  return nullptr;
}
void* Accept(void*) {
  pthread_cleanup_push(CleanUp, nullptr);
  accept(listener, nullptr, nullptr);
  pthread_cleanup_pop(0);
  return nullptr;
}
void* Wait(void*) {
  pthread_cleanup_push(CleanUp, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  int number = 0;
  sigwait(&set, &number);
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

JOSTLE_CASE("pass") {
  cleaned = 0;
  assert(pipe(pipe_ends) == 0);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(listen(listener, 1) == 0);
  for (void* (*wait)(void*) : {Read, Poll, Select, Accept, Wait}) {
    pthread_t t;
    assert(pthread_create(&t, nullptr, wait, nullptr) == 0);
    assert(pthread_cancel(t) == 0);
    void* value = nullptr;
    assert(pthread_join(t, &value) == 0);
    assert(value == PTHREAD_CANCELED);
  }
  assert(cleaned == 5);
  close(listener);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

// Threads that wait for each other through descriptors.
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int from_a[2], from_b[2];
static const char* how;

static void wait_for(int fd) {
  char c[8];
  if (strcmp(how, "poll") == 0) {
    struct pollfd p[2] = {{fd, POLLIN, 0}, {-1, 0, 0}};
    poll(p, 2, -1);
  } else if (strcmp(how, "select") == 0) {
    fd_set s;
    FD_ZERO(&s);
    FD_SET(fd, &s);
    select(fd + 1, &s, NULL, NULL, NULL);
  } else if (strcmp(how, "epoll") == 0) {
    struct epoll_event e = {.events = EPOLLIN};
    int ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
    epoll_wait(ep, &e, 1, -1);
    close(ep);
  }
  if (read(fd, c, sizeof c) <= 0) _exit(9);
}
static void tell(int fd) {
  const uint64_t one = 1;
  if (write(fd, &one, sizeof one) != sizeof one) _exit(8);
}
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int first;
static void* a(void* arg) {
  pthread_mutex_lock(&m);
  if (!first) first = 1;
  int wait = first == 2;  // b was first: each waits for the other
  pthread_mutex_unlock(&m);
  if (wait) {
    wait_for(from_b[0]);
    tell(from_a[1]);
  } else {
    tell(from_a[1]);
    wait_for(from_b[0]);
  }
  return arg;
}
static void* b(void* arg) {
  pthread_mutex_lock(&m);
  if (!first) first = 2;
  pthread_mutex_unlock(&m);
  wait_for(from_a[0]);
  tell(from_b[1]);
  return arg;
}
static void connection(int* ends) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&at, sizeof at) != 0 || listen(listener, 1) != 0) _exit(7);
  getsockname(listener, (struct sockaddr*)&at, &length);
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[1], (struct sockaddr*)&at, sizeof at) != 0) _exit(6);
  ends[0] = accept(listener, NULL, NULL);
  close(listener);
}
static void make(int* ends) {
  int r = 0;
  if (strcmp(how, "socketpair") == 0)
    r = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  else if (strcmp(how, "eventfd") == 0)
    r = ends[0] = ends[1] = eventfd(0, 0);
  else if (strcmp(how, "loopback") == 0)
    connection(ends);
  else
    r = pipe(ends);
  if (r < 0) _exit(5);
}
int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "pipe";
  make(from_a);
  make(from_b);
  if (strcmp(how, "with-a-child") == 0 && fork() == 0)
    for (;;) pause();
  if (strcmp(how, "inherited") == 0) wait_for(atoi(argv[2]));
  pthread_t t, u;
  pthread_create(&t, NULL, a, NULL);
  pthread_create(&u, NULL, b, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}

// A server as many are: one thread accepts, two serve, each with an epoll set and a pipe over which
// it is given connections. Two clients ask, and the last answer ends it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("line %d: not true: %s\n", __LINE__, #what); \
      exit(3);                                            \
    }                                                     \
  } while (0)

enum { kWorkers = 2, kClients = 2, kQuestions = 3 };

static struct sockaddr_in address;
static int listener;
static int given[kWorkers][2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int answers;

static void watch(int set, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void* serve(void* index) {
  const int* pipe_ends = given[(long)index];
  const int set = epoll_create1(EPOLL_CLOEXEC);
  int open_connections = 0, more = 1;
  watch(set, pipe_ends[0]);
  while (more || open_connections > 0) {
    struct epoll_event events[4];
    // With and without a limit: both are waits that others end.
    const int n = epoll_wait(set, events, 4, (long)index == 0 ? -1 : 1000);
    CHECK(n >= 0);
    for (int i = 0; i < n; ++i) {
      const int fd = events[i].data.fd;
      if (fd == pipe_ends[0]) {
        int connection;
        CHECK(read(fd, &connection, sizeof connection) == sizeof connection);
        if (connection < 0) {
          more = 0;
        } else {
          watch(set, connection);
          ++open_connections;
        }
        continue;
      }
      char question;
      if (read(fd, &question, 1) == 0) {
        close(fd);
        --open_connections;
        continue;
      }
      pthread_mutex_lock(&mutex);
      ++answers;
      pthread_mutex_unlock(&mutex);
      ++question;
      CHECK(write(fd, &question, 1) == 1);
    }
  }
  close(set);
  return NULL;
}

static void* ask(void* unused) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  for (char c = 'a'; c < 'a' + kQuestions; ++c) {
    char answer = 0;
    CHECK(write(fd, &c, 1) == 1);
    CHECK(read(fd, &answer, 1) == 1 && answer == c + 1);
  }
  close(fd);
  return unused;
}

int main(void) {
  pthread_t workers[kWorkers], clients[kClients];
  socklen_t length = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 &&
        listen(listener, 8) == 0);
  CHECK(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  for (long i = 0; i < kWorkers; ++i) {
    CHECK(pipe(given[i]) == 0);
    pthread_create(&workers[i], NULL, serve, (void*)i);
  }
  for (int i = 0; i < kClients; ++i) pthread_create(&clients[i], NULL, ask, NULL);
  for (int i = 0; i < kClients; ++i) {
    const int connection = accept(listener, NULL, NULL);
    CHECK(connection >= 0);
    CHECK(write(given[i % kWorkers][1], &connection, sizeof connection) == sizeof connection);
  }
  for (int i = 0; i < kWorkers; ++i) {
    const int no_more = -1;
    CHECK(write(given[i][1], &no_more, sizeof no_more) == sizeof no_more);
  }
  for (int i = 0; i < kClients; ++i) pthread_join(clients[i], NULL);
  for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i], NULL);
  printf("%d answers\n", answers);
  return 0;
}

// Threads of one program that wait for each other in the kernel. Each part prints the same in every
// order. usage: waits PART
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, strerror(errno)); \
      exit(1);                                                                     \
    }                                                                              \
  } while (0)

static int in = -1, out = -1;  // two ends of something
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;
static volatile sig_atomic_t handled;
static pthread_t main_thread;

static void with(void* (*other)(void*), void* (*here)(void*)) {
  pthread_t thread;
  main_thread = pthread_self();
  CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
  here(NULL);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void ends(int (*make)(int*)) {
  int both[2];
  CHECK(make(both) == 0);
  in = both[0];
  out = both[1];
}
static int make_sockets(int* both) { return socketpair(AF_UNIX, SOCK_STREAM, 0, both); }

static void* nothing(void* unused) { return unused; }

static void* send_words(void* unused) {
  for (int i = 0; i < 3; ++i) CHECK(write(out, "word", 4) == 4);
  close(out);
  return unused;
}

static void* count_bytes(void* unused) {
  char text[5];
  int all = 0;
  ssize_t n;
  while ((n = read(in, text, sizeof text)) > 0) all += (int)n;
  CHECK(n == 0);
  printf("%d bytes\n", all);
  return unused;
}

// More than fits: the writer has to wait for the reader.
static void* send_much(void* unused) {
  static const char kMuch[300000];
  size_t sent = 0;
  while (sent < sizeof kMuch) {
    const ssize_t n = write(out, kMuch + sent, sizeof kMuch - sent);
    CHECK(n > 0);
    sent += (size_t)n;
  }
  close(out);
  return unused;
}

static void* count_much(void* unused) {
  static char text[20000];
  int all = 0;
  for (ssize_t n; (n = read(in, text, sizeof text)) > 0;) all += (int)n;
  printf("%d bytes\n", all);
  return unused;
}

static void* post_event(void* unused) {
  const uint64_t three = 3;
  CHECK(write(out, &three, sizeof three) == sizeof three);
  return unused;
}

static void* take_event(void* unused) {
  uint64_t value = 0;
  CHECK(read(in, &value, sizeof value) == sizeof value);
  printf("event %d\n", (int)value);
  return unused;
}

static void* poll_and_read(void* unused) {
  struct pollfd p = {in, POLLIN, 0};
  CHECK(poll(&p, 1, -1) == 1 && (p.revents & (POLLIN | POLLHUP)));
  return count_bytes(unused);
}

static void* select_and_read(void* unused) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(in, &set);
  CHECK(select(in + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(in, &set));
  return count_bytes(unused);
}

static void* epoll_and_read(void* unused) {
  const int e = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = in};
  CHECK(epoll_ctl(e, EPOLL_CTL_ADD, in, &event) == 0);
  memset(&event, 0, sizeof event);
  CHECK(epoll_wait(e, &event, 1, -1) == 1 && event.data.fd == in);
  return count_bytes(unused);
}

// Nobody writes: the time is up, and only then.
static void* poll_in_vain(void* unused) {
  struct pollfd p = {in, POLLIN, 0};
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  CHECK(poll(&p, 1, 5000) == 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  CHECK((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 >= 5000);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(in, &set);
  struct timeval time = {3, 0};
  CHECK(select(in + 1, &set, NULL, NULL, &time) == 0 && !FD_ISSET(in, &set));
  puts("nothing came");
  return unused;
}

static int port;

static void* serve(void* unused) {
  const int peer = accept(in, NULL, NULL);
  CHECK(peer >= 0);
  char text[16] = {0};
  size_t have = 0;
  for (ssize_t n; (n = recv(peer, text + have, sizeof text - have, 0)) > 0;) have += (size_t)n;
  CHECK(send(peer, "answer", 6, 0) == 6);
  printf("server got %s\n", text);
  close(peer);
  return unused;
}

static void* ask(void* unused) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET,
                          .sin_port = htons((uint16_t)port),
                          .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  CHECK(connect(fd, (struct sockaddr*)&a, sizeof a) == 0);
  CHECK(send(fd, "question", 8, 0) == 8);
  CHECK(shutdown(fd, SHUT_WR) == 0);
  char text[16] = {0};
  size_t have = 0;
  for (ssize_t n; (n = recv(fd, text + have, sizeof text - have, 0)) > 0;) have += (size_t)n;
  CHECK(strcmp(text, "answer") == 0);
  close(fd);
  return unused;
}

static void listen_anywhere(void) {
  in = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  CHECK(bind(in, (struct sockaddr*)&a, sizeof a) == 0 && listen(in, 4) == 0);
  CHECK(getsockname(in, (struct sockaddr*)&a, &size) == 0);
  port = ntohs(a.sin_port);
}

static void* wait_with_time(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (!flag && result == 0) result = pthread_cond_timedwait(&changed, &mutex, &until);
  CHECK(flag || result == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  puts("the wait is over");
  return unused;
}

static void* set_flag(void* unused) {
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* wait_in_vain(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 3600;
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (result == 0) result = pthread_cond_timedwait(&changed, &mutex, &until);
  CHECK(result == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  puts("an hour later");
  return unused;
}

static void on_signal(int number) { handled += number == SIGUSR1; }

static void* raise_signals(void* unused) {
  CHECK(signal(SIGUSR1, on_signal) == SIG_DFL);
  CHECK(gettid() == getpid());
  CHECK(raise(SIGUSR1) == 0);
  CHECK(handled == 1);
  CHECK(kill(getpid(), SIGUSR1) == 0);
  CHECK(handled == 2);
  printf("handled %d\n", (int)handled);
  return unused;
}

static void* signal_main(void* unused) {
  CHECK(pthread_kill(main_thread, SIGUSR1) == 0);
  return unused;
}

static void* wait_for_handler(void* unused) {
  while (!handled) {
    struct timespec little = {0, 1000};
    nanosleep(&little, NULL);
  }
  printf("handled %d\n", (int)handled);
  return unused;
}

static void block_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
}

static void* wait_for_signal(void* unused) {
  sigset_t set;
  int number = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  CHECK(sigwait(&set, &number) == 0 && number == SIGUSR1);
  puts("the signal came");
  return unused;
}

static void* send_to_process(void* unused) {
  CHECK(kill(getpid(), SIGUSR1) == 0);
  return unused;
}

static void* read_signal(void* unused) {
  struct signalfd_siginfo info;
  CHECK(read(in, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
  puts("the signal came");
  return unused;
}

static void* wait_with_mask(void* unused) {
  sigset_t all_but;
  sigfillset(&all_but);
  sigdelset(&all_but, SIGUSR1);
  while (!handled) CHECK(sigsuspend(&all_but) == -1 && errno == EINTR);
  puts("the signal came");
  return unused;
}

int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "";
  // Nobody ever answers.
  if (strcmp(part, "stuck-read") == 0) return ends(pipe), with(nothing, count_bytes), 0;
  if (strcmp(part, "stuck-both") == 0) return ends(pipe), with(count_bytes, count_bytes), 0;
  if (strcmp(part, "stuck-poll") == 0) return ends(pipe), with(poll_and_read, poll_and_read), 0;
  if (strcmp(part, "stuck-sigwait") == 0) return block_signal(), with(nothing, wait_for_signal), 0;
  if (strcmp(part, "pipe") == 0) return ends(pipe), with(send_words, count_bytes), 0;
  if (strcmp(part, "full-pipe") == 0) return ends(pipe), with(send_much, count_much), 0;
  if (strcmp(part, "full-pipe-here") == 0) return ends(pipe), with(count_much, send_much), 0;
  if (strcmp(part, "socketpair") == 0) return ends(make_sockets), with(send_words, count_bytes), 0;
  if (strcmp(part, "full-sockets") == 0) return ends(make_sockets), with(count_much, send_much), 0;
  if (strcmp(part, "poll") == 0) return ends(pipe), with(send_words, poll_and_read), 0;
  if (strcmp(part, "select") == 0) return ends(pipe), with(send_words, select_and_read), 0;
  if (strcmp(part, "epoll") == 0) return ends(pipe), with(send_words, epoll_and_read), 0;
  if (strcmp(part, "poll-timeout") == 0) return ends(pipe), with(nothing, poll_in_vain), 0;
  if (strcmp(part, "eventfd") == 0) {
    in = out = eventfd(0, 0);
    return with(post_event, take_event), 0;
  }
  if (strcmp(part, "timerfd") == 0) {
    in = timerfd_create(CLOCK_MONOTONIC, 0);
    const struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    CHECK(timerfd_settime(in, 0, &soon, NULL) == 0);
    return with(nothing, take_event), 0;
  }
  if (strcmp(part, "loopback") == 0) return listen_anywhere(), with(serve, ask), 0;
  if (strcmp(part, "loopback-here") == 0) return listen_anywhere(), with(ask, serve), 0;
  if (strcmp(part, "timed") == 0) return with(set_flag, wait_with_time), 0;
  if (strcmp(part, "timed-out") == 0) return with(nothing, wait_in_vain), 0;
  if (strcmp(part, "raise") == 0) return with(nothing, raise_signals), 0;
  if (strcmp(part, "pthread-kill") == 0) {
    signal(SIGUSR1, on_signal);
    return with(signal_main, wait_for_handler), 0;
  }
  if (strcmp(part, "sigwait") == 0)
    return block_signal(), with(send_to_process, wait_for_signal), 0;
  if (strcmp(part, "sigwait-thread") == 0)
    return block_signal(), with(wait_for_signal, send_to_process), 0;
  if (strcmp(part, "signalfd") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    block_signal();
    in = signalfd(-1, &set, 0);
    return with(send_to_process, read_signal), 0;
  }
  if (strcmp(part, "sigsuspend") == 0) {
    signal(SIGUSR1, on_signal);
    block_signal();
    return with(signal_main, wait_with_mask), 0;
  }
  return 99;
}

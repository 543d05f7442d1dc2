// Waits for locks, queues and FIFOs of the kernel, and for what a child process does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      printf("line %d: not true: %s\n", __LINE__, #what); \
      exit(3);                                            \
    }                                                     \
  } while (0)

static int number;
static mqd_t named;
static sem_t* semaphore;

static pthread_t start(void* (*work)(void*)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
  return thread;
}
static void end(pthread_t thread) { CHECK(pthread_join(thread, NULL) == 0); }

static void* write_fifo(void* unused) {
  const int fd = open("fifo", O_WRONLY);
  CHECK(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
  return unused;
}
static void fifo(void) {
  unlink("fifo");
  CHECK(mkfifo("fifo", 0600) == 0);
  const pthread_t other = start(write_fifo);
  const int fd = open("fifo", O_RDONLY);
  char byte;
  CHECK(fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
  CHECK(read(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 0);
  end(other);
  CHECK(unlink("fifo") == 0);
}

static int inside;
static void enter_and_leave(void) {
  CHECK(inside++ == 0);
  sched_yield();
  --inside;
}
static void* lock_file(void* unused) {
  const int fd = open("lock", O_RDWR | O_CREAT, 0600);
  CHECK(flock(fd, LOCK_EX) == 0);
  enter_and_leave();
  CHECK(flock(fd, LOCK_UN) == 0 && close(fd) == 0);
  return unused;
}
static void* lock_range(void* unused) {
  const int fd = open("lock", O_RDWR | O_CREAT, 0600);
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
  CHECK(fcntl(fd, F_OFD_SETLKW, &range) == 0);
  enter_and_leave();
  CHECK(close(fd) == 0);
  return unused;
}
static void two_more(void* (*work)(void*)) {
  const pthread_t others[2] = {start(work), start(work)};
  work(NULL);
  for (int i = 0; i < 2; ++i) end(others[i]);
  unlink("lock");
}
static void file_lock(void) { two_more(lock_file); }
static void range_lock(void) { two_more(lock_range); }

static void* post_to_set(void* unused) {
  struct sembuf up = {0, 1, 0};
  CHECK(semop(number, &up, 1) == 0);
  return unused;
}
static void semaphore_set(void) {
  number = semget(IPC_PRIVATE, 1, 0600);
  const pthread_t other = start(post_to_set);
  struct sembuf down = {0, -1, 0};
  CHECK(semop(number, &down, 1) == 0);
  end(other);
  CHECK(semctl(number, 0, IPC_RMID) == 0);
}

struct message {
  long type;
  char text[4];
};
static void* send_message(void* unused) {
  const struct message m = {1, "abc"};
  CHECK(msgsnd(number, &m, 4, 0) == 0);
  return unused;
}
static void message_queue(void) {
  number = msgget(IPC_PRIVATE, 0600);
  const pthread_t other = start(send_message);
  struct message m;
  CHECK(msgrcv(number, &m, 4, 0, 0) == 4 && strcmp(m.text, "abc") == 0);
  end(other);
  CHECK(msgctl(number, IPC_RMID, NULL) == 0);
}

static void* send_to_named(void* unused) {
  CHECK(mq_send(named, "hi", 3, 0) == 0);
  return unused;
}
static void named_queue(void) {
  char name[40], text[8];
  snprintf(name, sizeof name, "/jostle-test-%d", getpid());
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof text};
  named = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  CHECK(named >= 0 && mq_unlink(name) == 0);
  const pthread_t other = start(send_to_named);
  CHECK(mq_receive(named, text, sizeof text, NULL) == 3);
  end(other);
}

static void* add_one(void* unused) {
  const uint64_t one = 1;
  CHECK(write(number, &one, sizeof one) == sizeof one);
  return unused;
}
static void epoll_with_timespec(void) {
  number = eventfd(0, 0);
  const struct timespec hour = {3600, 0};
  struct epoll_event event = {.events = EPOLLIN};
  const int epoll = epoll_create1(0);
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, number, &event) == 0);
  const pthread_t other = start(add_one);
  int n;
  while ((n = epoll_pwait2(epoll, &event, 1, &hour, NULL)) == 0) continue;
  CHECK(n == 1);
  end(other);
}

static void post(int signal) {
  (void)signal;
  sem_post(semaphore);
}
static void wait_for_child(pid_t child) {
  while (sem_wait(semaphore) != 0) CHECK(errno == EINTR);
  CHECK(waitpid(child, NULL, 0) == child);
}
static void share_semaphore(void) {
  semaphore = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(sem_init(semaphore, 1, 0) == 0);
}
static void signal_of_a_child(void) {
  share_semaphore();
  signal(SIGUSR1, post);
  const pid_t self = getpid(), child = fork();
  if (child == 0) _exit(kill(self, SIGUSR1));
  wait_for_child(child);
}
static void post_of_a_child(void) {
  share_semaphore();
  const pid_t child = fork();
  if (child == 0) _exit(sem_post(semaphore));
  wait_for_child(child);
}
static void nobody_posts(void) {
  share_semaphore();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  wait_for_child(child);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*part)(void);
  } parts[] = {{"fifo", fifo},
               {"file-lock", file_lock},
               {"range-lock", range_lock},
               {"semaphore-set", semaphore_set},
               {"message-queue", message_queue},
               {"named-queue", named_queue},
               {"epoll-with-timespec", epoll_with_timespec},
               {"signal-of-a-child", signal_of_a_child},
               {"post-of-a-child", post_of_a_child},
               {"nobody-posts", nobody_posts}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
      parts[i].part();
      printf("%s\n", argv[1]);
      return 0;
    }
  return 99;
}

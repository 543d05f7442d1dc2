// One bug of each kind, by name. All but those marked need nothing but synchronisation to show: an
// unmodified binary fails, too. "correct" has none.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int balance, flag;
static int* volatile pointer = &balance;

static void* deposit(void* unused) {
  pthread_mutex_lock(&mutex);
  const int seen = balance;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  balance = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* deposit_whole(void* unused) {
  pthread_mutex_lock(&mutex);
  ++balance;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* deposit_unlocked(void* unused) {
  ++balance;
  return unused;
}

static void* take_pointer_away(void* unused) {
  pthread_mutex_lock(&mutex);
  pointer = NULL;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* use_pointer(void* unused) {
  pthread_mutex_lock(&mutex);
  const int there = pointer != NULL;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  if (there) *pointer = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* lock_one_way(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* lock_other_way(void* unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&other);
  return unused;
}

static void* wait_for_flag(void* unused) {
  pthread_mutex_lock(&mutex);
  const int set = flag;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  if (!set) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* set_flag(void* unused) {
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static int flag_now(void) {
  pthread_mutex_lock(&mutex);
  const int now = flag;
  pthread_mutex_unlock(&mutex);
  return now;
}

// Waits for somebody who may be gone already.
static void* spin_for_flag(void* unused) {
  while (flag_now() != 1) sched_yield();
  return unused;
}

static void* set_and_reset_flag(void* unused) {
  set_flag(NULL);
  pthread_mutex_lock(&mutex);
  flag = 2;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* free_pointer(void* unused) {
  pthread_mutex_lock(&mutex);
  free((void*)pointer);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* write_to_pointer(void* unused) {
  pthread_mutex_lock(&mutex);
  *pointer = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* free_if_not_yet(void* unused) {
  if (!flag_now()) {
    set_flag(NULL);
    free((void*)pointer);
  }
  return unused;
}

static void* unlock_what_another_holds(void* unused) {
  pthread_mutex_unlock(&other);
  return unused;
}

static void* hold(void* unused) {
  pthread_mutex_lock(&other);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  if (pthread_mutex_unlock(&other) != 0) abort();
  return unused;
}

static void* loop_if_interrupted(void* unused) {
  pthread_mutex_lock(&mutex);
  const int before = balance;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  const volatile int interrupted = balance != before;
  pthread_mutex_unlock(&mutex);
  while (interrupted) {
  }
  return unused;
}

static void both(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (argc > 2) {
    printf("this is %s\n", name);
    fprintf(stderr, "and this on the other stream\n");
  }
  if (strcmp(name, "correct") == 0) {
    both(deposit_whole, deposit_whole);
    assert(balance == 2);
    return 0;
  }
  if (strcmp(name, "assertion") == 0) {
    both(deposit, deposit);
    assert(balance == 2);
    return 0;
  }
  if (strcmp(name, "abort") == 0) {
    both(deposit, deposit);
    if (balance != 2) abort();
    return 0;
  }
  if (strcmp(name, "exit-code") == 0) {
    both(deposit, deposit);
    return balance == 2 ? 0 : 7;
  }
  if (strcmp(name, "exit") == 0) exit(argc > 2 ? atoi(argv[2]) : 0);
  if (strcmp(name, "output") == 0) {
    both(deposit, deposit);
    printf("first\nbalance %d\nlast\n", balance);
    return 0;
  }
  if (strcmp(name, "crash") == 0) return both(use_pointer, take_pointer_away), 0;
  if (strcmp(name, "deadlock") == 0) return both(lock_one_way, lock_other_way), 0;
  if (strcmp(name, "lost-wakeup") == 0) return both(wait_for_flag, set_flag), 0;
  if (strcmp(name, "livelock") == 0) return both(spin_for_flag, set_and_reset_flag), 0;
  if (strcmp(name, "misuse") == 0) return both(hold, unlock_what_another_holds), 0;
  if (strcmp(name, "timeout") == 0) return both(loop_if_interrupted, deposit_whole), 0;
  if (strcmp(name, "double-free") == 0) {
    pointer = malloc(sizeof *pointer);
    return both(free_if_not_yet, free_if_not_yet), 0;
  }
  // Only where accesses are seen.
  if (strcmp(name, "race") == 0) {
    both(deposit_unlocked, deposit_unlocked);
    return 0;
  }
  if (strcmp(name, "race-and-assertion") == 0) {
    both(deposit_unlocked, deposit_unlocked);
    assert(balance == 2);
    return 0;
  }
  if (strcmp(name, "use-after-free") == 0) {
    pointer = malloc(sizeof *pointer);
    return both(write_to_pointer, free_pointer), 0;
  }
  // Two bugs, and only one shows in an execution.
  if (strcmp(name, "two") == 0) {
    both(deposit, deposit);
    assert(balance == 2);
    both(use_pointer, take_pointer_away);
    return 0;
  }
  fprintf(stderr, "unknown: '%s'\n", name);
  return 99;
}

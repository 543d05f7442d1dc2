// The table of what depends on what (src/sched/touches.def), pair by pair: one thread does the one,
// another the other, and each tells what it saw. A pair that is missing there loses an outcome that
// a search without reduction has; operations on different objects leave nothing to be tried.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <ctime>
#include <mutex>
#include <thread>

#include "tests/check/all_classes.h"

namespace {

struct Objects {
  std::atomic<int> x{0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_spinlock_t spin;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  sem_t sem, full;
  std::atomic<int> word{0};
  pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_t thread;
  bool joined = false, detached = false;
  std::atomic<bool> over{false};
  std::atomic<int> taken{0};  // guarded by whatever lock it is about
};

Objects* g;

int number() { return g->taken.fetch_add(1, std::memory_order_relaxed) + 1; }
void initialise() { g->x = 7; }
const timespec kLongAgo{1, 0};

// What it is about: two that name the same depend on each other, or the table says that they do
// not.
enum class On { x, mutex, spin, rwlock, sem, full, word, once, thread };

struct Operation {
  const char* name;
  On on;
  int (*does)();
};

const Operation kOperations[] = {
    {"load", On::x, [] { return g->x.load(); }},
    {"store", On::x, [] { return g->x.store(1), 0; }},
    {"add", On::x, [] { return g->x.fetch_add(1); }},
    {"compare-exchange", On::x,
     [] {
       int expected = 0;
       return g->x.compare_exchange_strong(expected, 2) * 8 + expected;
     }},
    {"weak compare-exchange", On::x,
     [] {
       int expected = 1;
       return g->x.compare_exchange_weak(expected, 3) * 8 + expected;
     }},
    {"lock", On::mutex,
     [] {
       pthread_mutex_lock(&g->mutex);
       const int n = number();
       pthread_mutex_unlock(&g->mutex);
       return n;
     }},
    {"trylock", On::mutex,
     [] {
       if (pthread_mutex_trylock(&g->mutex) != 0) return 0;
       const int n = number();
       pthread_mutex_unlock(&g->mutex);
       return n;
     }},
    {"spin lock", On::spin,
     [] {
       pthread_spin_lock(&g->spin);
       const int n = number();
       pthread_spin_unlock(&g->spin);
       return n;
     }},
    {"spin trylock", On::spin,
     [] {
       if (pthread_spin_trylock(&g->spin) != 0) return 0;
       const int n = number();
       pthread_spin_unlock(&g->spin);
       return n;
     }},
    {"read lock", On::rwlock,
     [] {
       pthread_rwlock_rdlock(&g->rwlock);
       const int n = g->taken.load(std::memory_order_relaxed);
       pthread_rwlock_unlock(&g->rwlock);
       return n;
     }},
    {"write lock", On::rwlock,
     [] {
       pthread_rwlock_wrlock(&g->rwlock);
       const int n = number();
       pthread_rwlock_unlock(&g->rwlock);
       return n;
     }},
    {"try to read", On::rwlock,
     [] {
       if (pthread_rwlock_tryrdlock(&g->rwlock) != 0) return -1;
       const int n = g->taken.load(std::memory_order_relaxed);
       pthread_rwlock_unlock(&g->rwlock);
       return n;
     }},
    {"try to write", On::rwlock,
     [] {
       if (pthread_rwlock_trywrlock(&g->rwlock) != 0) return -1;
       const int n = number();
       pthread_rwlock_unlock(&g->rwlock);
       return n;
     }},
    {"post", On::sem, [] { return sem_post(&g->sem); }},
    {"take", On::sem, [] { return sem_wait(&g->sem); }},
    {"try to take", On::sem, [] { return sem_trywait(&g->sem); }},
    {"look at a semaphore", On::sem,
     [] {
       int n;
       sem_getvalue(&g->sem, &n);
       return n;
     }},
    {"initialise a semaphore", On::sem, [] { return sem_init(&g->sem, 0, 5); }},
    {"post beyond", On::full, [] { return sem_post(&g->full); }},
    {"try to take of many", On::full, [] { return sem_trywait(&g->full); }},
    {"wait in a queue", On::word,
     [] {
       return static_cast<int>(syscall(SYS_futex, &g->word, FUTEX_WAIT_BITSET, 0, &kLongAgo,
                                       nullptr, FUTEX_BITSET_MATCH_ANY));
     }},
    {"wake", On::word,
     [] { return static_cast<int>(syscall(SYS_futex, &g->word, FUTEX_WAKE, 1)); }},
    {"change and wake", On::word,
     [] {
       g->word = 1;
       return static_cast<int>(syscall(SYS_futex, &g->word, FUTEX_WAKE, 1));
     }},
    {"once", On::once, [] { return pthread_once(&g->once, &initialise), g->x.load(); }},
    {"try to join", On::thread,
     [] {
       const int r = pthread_tryjoin_np(g->thread, nullptr);
       if (r == 0) g->joined = true;
       return r;
     }},
    {"detach", On::thread,
     [] {
       const int r = pthread_detach(g->thread);
       if (r == 0) g->detached = true;
       return r;
     }},
};
constexpr std::size_t kCount = std::size(kOperations);

const Operation *g_first, *g_second;

int both() {
  Objects o;
  g = &o;
  pthread_spin_init(&o.spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&o.sem, 0, 1);
  sem_init(&o.full, 0, INT_MAX - 1);
  const bool about_a_thread = g_first->on == On::thread || g_second->on == On::thread;
  if (about_a_thread)
    pthread_create(
        &o.thread, nullptr,
        [](void*) -> void* {
          g->over = true;
          return nullptr;
        },
        nullptr);
  int first = 0, second = 0;
  std::thread other([&] { first = g_first->does(); });
  second = g_second->does();
  other.join();
  if (about_a_thread) {
    if (!o.joined && !o.detached) pthread_join(o.thread, nullptr);
    while (!o.over) sched_yield();
  }
  int value;
  sem_getvalue(&o.sem, &value);
  int all = o.x;
  for (const int n : {first, second, value, o.word.load()}) all = all * 17 + n + 1;
  return all;
}

class Pairs : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Pairs, LoseNoOutcome) {
  g_first = &kOperations[GetParam()];
  for (const Operation& second : kOperations) {
    g_second = &second;
    SCOPED_TRACE(std::string(g_first->name) + ", " + second.name);
    // There is one to be taken, and who comes too late waits for ever.
    const auto takes = [](const Operation& o) { return std::string(o.name).ends_with("take"); };
    const auto waits = [](const Operation& o) { return std::string(o.name) == "take"; };
    if (takes(*g_first) && takes(second) && (waits(*g_first) || waits(second))) continue;
    // Whoever joins a thread that was joined, or detaches it then, is in error.
    if (g_first->on == On::thread && second.on == On::thread &&
        (g_first != &second || std::string(second.name) != "detach"))
      continue;
    expect_all_classes(&both);
  }
}

TEST_P(Pairs, OfDifferentObjectsAreIndependent) {
  g_first = &kOperations[GetParam()];
  for (const Operation& second : kOperations) {
    g_second = &second;
    const auto waits = [](On on) { return on == On::thread || on == On::word; };
    const auto uses_x = [](On on) { return on == On::x || on == On::once; };
    const auto counts = [](On on) { return on == On::mutex || on == On::spin || on == On::rwlock; };
    if (g_first->on == second.on || waits(g_first->on) || waits(second.on) ||
        (uses_x(g_first->on) && uses_x(second.on)) || (counts(g_first->on) && counts(second.on)))
      continue;
    // A compare-exchange alone may fail for no reason, or not.
    EXPECT_LE(search(&both, Reduction::optimal).result.executions, 1u)
        << g_first->name << ", " << second.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Pairs, ::testing::Range(std::size_t{0}, kCount),
                         [](const auto& info) {
                           std::string name = kOperations[info.param].name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace

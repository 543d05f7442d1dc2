// One plain counter per kind of lock; each is only touched under its lock.
#include <pthread.h>
#include <semaphore.h>

#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex mutex;
  std::shared_mutex shared;
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  sem_t sem;
  sem_init(&sem, 0, 1);
  int counters[4] = {0, 0, 0, 0};
  auto work = [&] {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ++counters[0];
    }
    {
      std::unique_lock<std::shared_mutex> lock(shared);
      ++counters[1];
    }
    pthread_spin_lock(&spin);
    ++counters[2];
    pthread_spin_unlock(&spin);
    sem_wait(&sem);
    ++counters[3];
    sem_post(&sem);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  for (int c : counters) assert(c == 2);
}

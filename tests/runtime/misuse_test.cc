// What is said of objects that are used against their rules.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

TEST(Misuse, BarrierThatWasNeverInitialised) {
  const auto r = jostle::run(
      [] {
        pthread_barrier_t b;
        pthread_barrier_wait(&b);
      },
      quick(3));
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message, "a barrier is used that was not initialised in this execution");
}

TEST(Misuse, BarrierThatWasDestroyed) {
  const auto r = jostle::run(
      [] {
        pthread_barrier_t b;
        pthread_barrier_init(&b, nullptr, 1);
        pthread_barrier_destroy(&b);
        pthread_barrier_wait(&b);
      },
      quick(3));
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].message, "a barrier is used that was destroyed");
}

// A call that fails is shown with the reason that it returns.
TEST(Misuse, WhatACallReturnsIsShown) {
  const auto r = jostle::run(
      [] {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
        pthread_mutex_t m;
        sem_t s;
        pthread_mutex_init(&m, &attributes);
        sem_init(&s, 0, 0);
        std::thread t([&] {
          const int held = pthread_mutex_unlock(&m);
          JOSTLE_ASSERT(held == EPERM);
          pthread_mutex_lock(&m);
          JOSTLE_ASSERT(pthread_mutex_lock(&m) == EDEADLK);
          const timespec past = {1, 0};
          JOSTLE_ASSERT(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT);
          pthread_mutex_unlock(&m);
        });
        t.join();
        pthread_mutex_lock(&m);
        sem_post(&s);
        JOSTLE_ASSERT(false);
      },
      quick(3));
  for (const char* text : {"unlock m: it does not hold that", "lock m: it holds that already",
                           "try semaphore s: time is up"})
    EXPECT_NE(r.report.find(text), std::string::npos) << text << "\n" << r.report;
}

}  // namespace

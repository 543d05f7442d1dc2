// Errors of pthread_kill and of the functions that tell and set how the system schedules a thread.
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::thread t([] {
    for (const int number : {-1, 32, 33, 65, 1000})
      assert(pthread_kill(pthread_self(), number) == EINVAL);
  });
  assert(pthread_kill(t.native_handle(), 0) == 0);
  int policy = -1;
  sched_param parameters = {};
  assert(pthread_getschedparam(t.native_handle(), &policy, &parameters) == 0);
  assert(policy == SCHED_OTHER && parameters.sched_priority == 0);
  assert(pthread_setschedparam(t.native_handle(), SCHED_OTHER, &parameters) == 0);
  parameters.sched_priority = 5;
  assert(pthread_setschedparam(t.native_handle(), SCHED_OTHER, &parameters) == EINVAL);
  assert(pthread_setschedparam(t.native_handle(), 99, &parameters) == EINVAL);
  t.join();
}

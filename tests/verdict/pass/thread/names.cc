// Names are given, taken over by the threads that one creates, and cut off or refused if too long.
#include <pthread.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  char name[16];
  std::thread t([] {
    char own[16];
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_getname_np(pthread_self(), own, sizeof own) == 0);
    assert(std::strcmp(own, "worker") == 0);
    std::thread([] {
      char inherited[16];
      assert(prctl(PR_GET_NAME, inherited) == 0);
      assert(std::strcmp(inherited, "worker") == 0);
      assert(prctl(PR_SET_NAME, "much longer than that") == 0);
      assert(pthread_getname_np(pthread_self(), inherited, sizeof inherited) == 0);
      assert(std::strcmp(inherited, "much longer tha") == 0);
    }).join();
    assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
  });
  t.join();
  std::mutex m;
  m.lock();
  std::thread other([&] { std::lock_guard guard(m); });
  assert(pthread_setname_np(other.native_handle(), "given") == 0);
  assert(pthread_getname_np(other.native_handle(), name, sizeof name) == 0);
  assert(std::strcmp(name, "given") == 0);
  assert(pthread_getname_np(other.native_handle(), name, 15) == ERANGE);
  m.unlock();
  other.join();
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && name[0] != 0);
}

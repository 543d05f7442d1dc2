// The destructor gets the value of each thread that ends with a non-null one, before join returns.
#include <pthread.h>

#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

std::atomic<int> sum;
void Destroy(void* value) {
  sum.fetch_add(*static_cast<int*>(value));
  delete static_cast<int*>(value);
}

}  // namespace

JOSTLE_CASE("pass") {
  sum = 0;
  pthread_key_t key;
  assert(pthread_key_create(&key, Destroy) == 0);
  std::thread a([&] { assert(pthread_setspecific(key, new int(1)) == 0); });
  std::thread b([&] { assert(pthread_setspecific(key, new int(2)) == 0); });
  std::thread none([&] { assert(pthread_getspecific(key) == nullptr); });
  std::thread reset([&] {
    auto* value = new int(100);
    assert(pthread_setspecific(key, value) == 0);
    assert(pthread_setspecific(key, nullptr) == 0);
    delete value;
  });
  a.join();
  b.join();
  none.join();
  reset.join();
  assert(sum == 3);
  assert(pthread_key_delete(key) == 0);
}

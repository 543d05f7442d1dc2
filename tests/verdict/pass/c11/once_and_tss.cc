// call_once runs once; tss destructors get each thread's value.
#include <threads.h>

#include <atomic>

#include "tests/support/case.h"

namespace {

once_flag flag = ONCE_FLAG_INIT;
int runs;
void Init() { ++runs; }
std::atomic<int> sum;
void Destroy(void* value) {
  sum.fetch_add(*static_cast<int*>(value));
  delete static_cast<int*>(value);
}
tss_t key;
int Work(void* arg) {
  call_once(&flag, Init);
  assert(runs == 1);
  assert(tss_get(key) == nullptr);
  auto* value = new int(*static_cast<int*>(arg));
  assert(tss_set(key, value) == thrd_success);
  assert(tss_get(key) == value);
  return 0;
}

}  // namespace

JOSTLE_CASE("pass") {
  flag = ONCE_FLAG_INIT;
  runs = 0;
  sum = 0;
  assert(tss_create(&key, Destroy) == thrd_success);
  int one = 1, two = 2;
  thrd_t a, b;
  assert(thrd_create(&a, Work, &one) == thrd_success);
  assert(thrd_create(&b, Work, &two) == thrd_success);
  assert(thrd_join(a, nullptr) == thrd_success);
  assert(thrd_join(b, nullptr) == thrd_success);
  assert(sum == 3);
  tss_delete(key);
}

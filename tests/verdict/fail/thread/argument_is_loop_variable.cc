// Every thread gets the address of the same loop variable.
#include <pthread.h>

#include <cstdint>

#include "tests/support/case.h"

namespace {

void* Read(void* arg) {
  int* index = static_cast<int*>(arg);
  return reinterpret_cast<void*>(static_cast<intptr_t>(*index));
}

}  // namespace

JOSTLE_CASE("assertion") {
  pthread_t t[2];
  int i;
  for (i = 0; i < 2; ++i) pthread_create(&t[i], nullptr, Read, &i);
  for (int k = 0; k < 2; ++k) {
    void* value;
    pthread_join(t[k], &value);
    assert(reinterpret_cast<intptr_t>(value) == k);
  }
}

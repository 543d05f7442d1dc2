#include "runtime/streams.h"

#include <cstdio>

// All open streams, as the C library itself goes through them.
extern "C" {
void* _IO_iter_begin(void);
void* _IO_iter_end(void);
void* _IO_iter_next(void*);
FILE* _IO_iter_file(void*);
}

namespace jostle {
namespace {

// What glibc's FILE::_lock points to.
struct StreamLock {
  int word, count;
  void* owner;  // a thread pointer
};

}  // namespace

void release_streams(CarrierPool& pool) {
  for (void* i = _IO_iter_begin(); i != _IO_iter_end(); i = _IO_iter_next(i)) {
    auto* lock = reinterpret_cast<StreamLock*>(_IO_iter_file(i)->_lock);
    if (!lock || !lock->owner) continue;
    const auto owner = reinterpret_cast<std::uint64_t>(lock->owner);
    for (std::uint32_t k = 0; k < pool.used(); ++k)
      if (pool.at(k)->fs == owner) {
        *lock = {};
        break;
      }
  }
}

}  // namespace jostle

#include "runtime/streams.h"

#include <cstdio>
#include <ctime>

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

bool is_abandoned(const volatile StreamLock& lock, CarrierPool& pool) {
  if (const auto owner = reinterpret_cast<std::uint64_t>(lock.owner)) {
    for (std::uint32_t k = 0; k < pool.used(); ++k)
      if (pool.at(k)->fs == owner) return true;
    return false;
  }
  // Left between taking the lock and saying whose it is, or the other way round; or a thread that
  // is not ours is there just now, but not for long.
  for (int i = 0; i < 20; ++i) {
    if (lock.word == 0 || lock.owner != nullptr) return false;
    const timespec moment = {0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
  return true;
}

}  // namespace

void release_streams(CarrierPool& pool) {
  for (void* i = _IO_iter_begin(); i != _IO_iter_end(); i = _IO_iter_next(i)) {
    auto* lock = reinterpret_cast<StreamLock*>(_IO_iter_file(i)->_lock);
    if (lock && lock->word != 0 && is_abandoned(*lock, pool)) *lock = {};
  }
}

}  // namespace jostle

// What the interposers share. Each of them decides one thing, "is this thread controlled?", and
// calls either the model or the C library.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <ctime>

#include "runtime/attached.h"
#include "runtime/cancellation.h"
#include "runtime/engine.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/system_model.h"
#include "sched/model/model.h"

namespace jostle {

template <class T>
Address at(const T* object) {
  return reinterpret_cast<Address>(object);
}

// Before the C library's own version: the thread is not controlled, but a script in another process
// may want it to wait here.
template <class T>
void outside(EventKind kind, const T* object, std::uint64_t pc) {
  real::ready();
  attached::event(kind, at(object), pc);
}

// Type and robustness where glibc keeps them.
inline std::uint16_t mutex_type(const pthread_mutex_t* m) {
  const auto robust = static_cast<std::uint16_t>(m->__data.__kind & model::kRobust);
  const auto type = static_cast<std::uint16_t>(m->__data.__kind & 3);
  return type == 3 ? robust : static_cast<std::uint16_t>(robust | type);  // 3: adaptive, as normal
}

inline bool valid(const timespec* ts) { return ts->tv_nsec >= 0 && ts->tv_nsec < 1'000'000'000; }
inline bool valid(clockid_t c) { return c == CLOCK_REALTIME || c == CLOCK_MONOTONIC; }

inline std::uint64_t deadline(clockid_t clock, const timespec* ts) {
  if (ts->tv_sec < 0) return 1;
  return virtual_deadline(clock, static_cast<std::uint64_t>(ts->tv_sec),
                          static_cast<std::uint64_t>(ts->tv_nsec));
}

// Of a mutex, the limit is looked at only by who has to wait: until then an invalid one is none
// that matters, and one that is over.
inline std::uint64_t mutex_deadline(clockid_t clock, const timespec* ts) {
  return valid(ts) ? deadline(clock, ts) : 1;
}
inline int mutex_result(int error, const timespec* ts) {
  return error == ETIMEDOUT && !valid(ts) ? EINVAL : error;
}

// For functions that report errors through errno.
inline int with_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace jostle

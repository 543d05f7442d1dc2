// Which controlled thread is this? Null for every thread that Jostle does not control, which is
// how interposers and hooks tell the two apart.
#pragma once

#include "sched/thread.h"

namespace jostle {

extern thread_local constinit Thread* t_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The controlled thread that should be modelled here; null outside, and inside Jostle itself.
inline Thread* self() {
  Thread* t = t_self;
  return t != nullptr && !t->in_runtime ? t : nullptr;
}

// While it lives, what the thread calls is not modelled.
class InRuntime {
 public:
  explicit InRuntime(Thread& t) : t_(t), before_(t.in_runtime) { t.in_runtime = true; }
  InRuntime(const InRuntime&) = delete;
  InRuntime& operator=(const InRuntime&) = delete;
  ~InRuntime() { t_.in_runtime = before_; }

 private:
  Thread& t_;
  bool before_;
};

#define JOSTLE_CALLER reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
#define JOSTLE_EXPORT extern "C" __attribute__((visibility("default"), used))

}  // namespace jostle

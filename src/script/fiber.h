// A stack of its own for code that runs beside the controlled threads. It has the thread-control
// block of whoever called run(), so that hooks and interposers leave it alone, and what it
// allocates or throws is nobody else's business.
#pragma once

#include <cstddef>

#include "runtime/switch.h"

namespace jostle::scripts {

class Fiber {
 public:
  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // To be called on the stack whose thread-control block is to be used; `entry` begins at the next
  // resume() and must not let an exception out.
  void prepare(void (*entry)(void*), void* argument);
  // Goes on in the fiber until it calls suspend() or ends. On any stack, never on its own.
  void resume();
  void suspend();
  bool ended() const { return ended_; }

 private:
  static void begin();

  static constexpr std::size_t kSize = 8u << 20, kGuard = 4096;
  SwitchFunction switch_;
  char* memory_;
  void* sp_ = nullptr;
  void* back_ = nullptr;
  std::uint64_t fs_ = 0, back_fs_ = 0;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool ended_ = true;
};

}  // namespace jostle::scripts

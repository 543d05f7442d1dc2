#include "script/fiber.h"

#include <sys/mman.h>

#include <new>

namespace jostle::scripts {
namespace {
Fiber* g_starting = nullptr;  // the one that begin() belongs to
}

Fiber::Fiber() : switch_(choose_switch()) {
  void* p =
      mmap(nullptr, kGuard + kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(p);
  mprotect(memory_, kGuard, PROT_NONE);
}

Fiber::~Fiber() { munmap(memory_, kGuard + kSize); }

void Fiber::prepare(void (*entry)(void*), void* argument) {
  entry_ = entry;
  argument_ = argument;
  fs_ = thread_pointer();
  sp_ = make_context(memory_ + kGuard + kSize, &begin);
  ended_ = false;
}

void Fiber::begin() {
  Fiber& f = *g_starting;
  f.entry_(f.argument_);
  f.ended_ = true;
  f.suspend();
}

void Fiber::resume() {
  if (ended_) return;
  g_starting = this;
  back_fs_ = thread_pointer();
  switch_(&back_, sp_, fs_);
}

void Fiber::suspend() { switch_(&sp_, back_, back_fs_); }

}  // namespace jostle::scripts

// A real thread of the C library, parked for ever, that lends its stack and thread-control
// block. The fiber backend runs a controlled thread on them with the kernel thread of the
// caller; the other backend wakes the parked thread itself. Everything that belongs to a thread
// (thread_local, errno, pthread_self, exceptions in flight) is then right in both.
#pragma once

#include <pthread.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>

#include "base/mapped.h"
#include "sched/thread.h"

namespace jostle {

struct FrameList;

struct Carrier {
  std::uint64_t fs;  // thread pointer
  pthread_t handle;
  char* stack_low;  // lowest usable byte; a guard page lies below
  std::size_t stack_size;
  static constexpr std::size_t kReserve = 8192;
  char* top;           // where a fiber's stack begins: so far below the parked thread's frame
  Thread** self_slot;  // &t_self of this thread
  int* errno_slot;

  // What it runs.
  void* (*start)(void*);
  void* argument;
  Thread* thread;
  void* sp;       // fibers: saved stack pointer
  bool dirty;     // its last thread was abandoned: keys still have values
  bool has_keys;  // its thread has set the value of some key

  // Signals, as the kernel numbers them in its sets: see signal_model.h.
  std::uint64_t blocked;
  std::uint64_t pending;  // the numbers in `sent`
  std::uint64_t awaited;  // held back for it: it is in sigwait(), or in sigsuspend()
  bool cancellable;       // it is in a system call that ends when the thread is cancelled
  struct Sent {
    int number, code;
    sigval value;
    pid_t sender;  // 0: this process
  };
  static constexpr std::uint32_t kSent = 32;
  Sent sent[kSent];
  std::uint32_t sent_count;

  // Kernel threads: 0 = wait, 1 = run, 2 = give up what you do.
  int go;
  int inside;     // between being told to go and being parked again
  Carrier* next;  // who goes on when this one is parked again; null = the caller of run()
  int tid;
  std::jmp_buf base;

  // thread_local variables: their initial images, for putting them back.
  struct Image {
    void* at;
    const void* from;
    std::size_t file_size, memory_size;
  };
  static constexpr int kImages = 24;
  Image images[kImages];
  int image_count;
  // Those of libraries that are loaded later are reached through the C library's vector; its first
  // element is the generation of the others. As it was when the thread was made.
  struct TlsSlot {
    std::uintptr_t value, to_free;
  };
  static constexpr std::size_t kSlots = 64;
  TlsSlot* tls_vector;
  TlsSlot tls_slots[kSlots];
  std::size_t tls_slot_count;

  // Destructors of thread_local objects, run when the controlled thread ends.
  struct Destructor {
    void (*function)(void*);
    void* object;
    Destructor* next;
  };
  Destructor* destructors;
  Destructor* free_destructors;

  FrameList* frames;      // recording: the calls on its stack; null if never recorded
  void* alternate_stack;  // for signals, of this kernel thread
  char selector;          // syscall user dispatch of this kernel thread
};

class CarrierPool {
 public:
  static constexpr std::size_t kDefaultStack = 8u << 20;

  // A carrier for the next thread of this execution. Carriers are not reused within one: what
  // a thread left on its stack must not look like the next one's doing.
  Carrier* take(std::size_t stack_size = 0);
  // All carriers are free again.
  void release_all() { used_ = 0; }
  // In a forked child, where the parked threads do not exist.
  void forget_all() { count_ = used_ = 0; }
  void put_back_tls(Carrier& c);
  std::uint32_t size() const { return count_; }
  std::uint32_t used() const { return used_; }
  Carrier* at(std::uint32_t i) { return carriers_[i]; }
  pthread_t handle(std::uint32_t i) const { return handles_[i]; }
  // Runs in a parked thread that was told to go (kernel-thread backend).
  void (*on_go)(Carrier&) = nullptr;

 private:
  Carrier* make(std::size_t stack_size);
  void put(std::uint32_t i, Carrier* c) {
    carriers_[i] = c;
    handles_[i] = c->handle;
  }
  static void* parked(void*);

  Carrier* carriers_[kMaxThreads] = {};
  pthread_t handles_[kMaxThreads] = {};  // of carriers_, side by side: see Engine::find_thread()
  std::uint32_t count_ = 0, used_ = 0;
};

}  // namespace jostle

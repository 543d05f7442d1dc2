#include "runtime/carrier.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/words.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/signals.h"
#include "runtime/start_point.h"
#include "runtime/switch.h"
#include "runtime/system_call.h"

namespace jostle {

thread_local constinit Thread* t_self = nullptr;

namespace {

// The C library and the loader keep state of the real thread in their thread-locals.
bool keeps_own_tls(const char* path) {
  for (const char* name : {"libc.so", "ld-linux", "libasan", "libubsan", "libtsan", "liblsan"})
    if (std::strstr(path, name)) return true;
  return false;
}

int collect_images(dl_phdr_info* info, std::size_t, void* arg) {
  auto& c = *static_cast<Carrier*>(arg);
  if (!info->dlpi_tls_modid || !info->dlpi_tls_data || keeps_own_tls(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& ph = info->dlpi_phdr[i];
    if (ph.p_type != PT_TLS || c.image_count == Carrier::kImages) continue;
    c.images[c.image_count++] = {info->dlpi_tls_data,
                                 reinterpret_cast<const void*>(info->dlpi_addr + ph.p_vaddr),
                                 ph.p_filesz, ph.p_memsz};
  }
  return 0;
}

Carrier::TlsSlot*& tls_vector_of(const Carrier& c) {
  return reinterpret_cast<Carrier::TlsSlot**>(c.fs)[1];
}

void keep_tls_vector(Carrier& c) {
  c.tls_vector = tls_vector_of(c);
  c.tls_slot_count = std::min(c.tls_vector[-1].value + 1, Carrier::kSlots);
  std::copy_n(c.tls_vector, c.tls_slot_count, c.tls_slots);
}

// In a whole program, what it has for libraries that came later is gone already, with all the
// memory that the execution has written. Elsewhere it is let go by the C library, if the generation
// is old.
void put_back_tls_vector(Carrier& c) {
  if (c.tls_vector != tls_vector_of(c)) return;  // there were too many
  if (start_carrier())
    std::copy_n(c.tls_slots, c.tls_slot_count, c.tls_vector);
  else
    c.tls_vector[0].value = 0;
}

// Our own pages are promised to nobody; the C library's stacks are, and the kernel may refuse.
bool would_fit(std::size_t size) {
  void* p =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (p == MAP_FAILED) return false;
  ::munmap(p, size);
  return true;
}

}  // namespace

void* CarrierPool::parked(void* arg) {
  auto& c = *static_cast<Carrier*>(arg);
  sigset_t all;
  sigfillset(&all);
  // Crashes and the trap must reach a thread that runs the program; the rest goes to the caller.
  for (int s : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, kTickSignal})
    sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  c.fs = thread_pointer();
  c.self_slot = &t_self;
  c.errno_slot = &errno;
  c.tid = static_cast<int>(system_call(SYS_gettid));
  dl_iterate_phdr(&collect_images, &c);
  keep_tls_vector(c);
  c.top = reinterpret_cast<char*>(__builtin_frame_address(0)) - Carrier::kReserve;
  auto* pool = static_cast<CarrierPool*>(c.argument);
  __atomic_store_n(&c.go, 0, __ATOMIC_RELEASE);
  futex_wake_one(&c.go);
  for (;;) {
    while (__atomic_load_n(&c.go, __ATOMIC_ACQUIRE) != 1) futex_sleep(&c.go, 0);
    pool->on_go(c);
  }
  return nullptr;
}

Carrier* CarrierPool::make(std::size_t stack_size) {
  real::ready();
  const std::size_t guard = 64 << 10;
  if (stack_size > kDefaultStack && !would_fit(stack_size + guard)) return nullptr;
  auto* c = static_cast<Carrier*>(map_pages(sizeof(Carrier)));
  char* memory = static_cast<char*>(map_pages(stack_size + guard));
  ::mprotect(memory, guard, PROT_NONE);
  c->stack_low = memory + guard;
  c->stack_size = stack_size;
  c->argument = this;
  c->go = -1;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  // Stacks and control blocks of different carriers must not share the same few cache sets.
  c->stack_size -= (count_ * 17 * 64) % 4096;
  pthread_attr_setstack(&attr, c->stack_low, c->stack_size);
  if (real::pthread_create(&c->handle, &attr, &parked, c) != 0) {
    pthread_attr_destroy(&attr);
    return nullptr;
  }
  pthread_attr_destroy(&attr);
  while (__atomic_load_n(&c->go, __ATOMIC_ACQUIRE) == -1) futex_sleep(&c->go, -1);
  return c;
}

Carrier* CarrierPool::take(std::size_t stack_size) {
  if (stack_size < kDefaultStack) stack_size = kDefaultStack;
  if (used_ == kMaxThreads) return nullptr;
  if (used_ == count_) {
    Carrier* c = make(stack_size);
    if (!c) return nullptr;
    put(count_++, c);
    return carriers_[used_++];
  }
  if (carriers_[used_]->stack_size + 4096 < stack_size) {
    Carrier* c = make(stack_size);
    if (!c || count_ == kMaxThreads) return nullptr;
    put(count_++, carriers_[used_]);
    put(used_, c);
  }
  Carrier* c = carriers_[used_++];
  put_back_tls(*c);
  return c;
}

void CarrierPool::put_back_tls(Carrier& c) {
  for (int i = 0; i < c.image_count; ++i) {
    const Carrier::Image& m = c.images[i];
    copy_words(static_cast<char*>(m.at), static_cast<const char*>(m.from), m.file_size);
    clear_words(static_cast<char*>(m.at) + m.file_size, m.memory_size - m.file_size);
  }
  put_back_tls_vector(c);
  *c.errno_slot = 0;
}

}  // namespace jostle

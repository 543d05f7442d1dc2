#include "runtime/program_heap.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "runtime/own_heap.h"
#include "runtime/self.h"

#ifndef __SANITIZE_ADDRESS__  // its heap stays in charge: see JOSTLE_CAN_EXECUTE

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace jostle {
namespace {

int c_library_posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* p = __libc_memalign(alignment, size);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}

// In front of a block stands its size, and whether the memory before it is in use. What comes next
// begins the same way, so it knows that this block is.
bool is_c_library_block(const void* block) {
  constexpr std::size_t kBefore = 1, kMapped = 2, kFlags = 7, kAlignment = 16, kPage = 4096;
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  if (at % kAlignment != 0) return false;
  const auto* const head = static_cast<const std::size_t*>(block) - 2;
  const std::size_t size = head[1] & ~kFlags;
  if (head[1] & kMapped)  // pages of its own, from head[0] bytes before
    return ((at - kAlignment - head[0]) | (head[0] + size)) % kPage == 0;
  if (size < 2 * kAlignment || size % kAlignment != 0) return false;
  return head[size / sizeof *head + 1] & kBefore;
}

constinit ProgramHeap g_heap = {&__libc_malloc,
                                &__libc_free,
                                &__libc_calloc,
                                &__libc_realloc,
                                &__libc_memalign,
                                &__libc_memalign,
                                &c_library_posix_memalign,
                                &malloc_usable_size,
                                &is_c_library_block};
enum class State { unknown, asking, known };
constinit State g_state = State::unknown;

const void* library_of(const void* function) {
  Dl_info info{};
  return function && dladdr(function, &info) ? info.dli_fbase : nullptr;
}

// A program that takes a function's address may have an entry for it without defining it: a jump to
// wherever it is.
void* defined_first(const char* name) {
  void* const at = dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  const bool jump = at &&
                    dladdr1(at, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
                            RTLD_DL_SYMENT) &&
                    symbol && symbol->st_shndx == SHN_UNDEF;
  return jump ? nullptr : at;
}

// Whom a call in the program reaches if Jostle is not there.
void* without_us(const char* name) {
  void* first = defined_first(name);
  static const char here = 0;
  return !first || library_of(first) == library_of(&here) ? dlsym(RTLD_NEXT, name) : first;
}

template <class F>
void replace(F*& function, const char* name) {
  if (void* other = without_us(name)) function = reinterpret_cast<F*>(other);
}

void find_heap() {
  void* const allocator = without_us("malloc");
  if (!allocator || allocator == reinterpret_cast<void*>(&__libc_malloc)) return;
  ProgramHeap h = g_heap;
  h.malloc = reinterpret_cast<void* (*)(std::size_t)>(allocator);
  replace(h.free, "free");
  replace(h.calloc, "calloc");
  replace(h.realloc, "realloc");
  replace(h.memalign, "memalign");
  replace(h.aligned_alloc, "aligned_alloc");
  replace(h.posix_memalign, "posix_memalign");
  void* const size = without_us("malloc_usable_size");
  h.usable_size = library_of(size) == library_of(allocator)
                      ? reinterpret_cast<std::size_t (*)(void*)>(size)
                      : nullptr;
  h.is_block = nullptr;
  g_heap = h;
}

}  // namespace

const ProgramHeap& program_heap() {
  if (JOSTLE_UNLIKELY(g_state == State::unknown)) {
    g_state = State::asking;  // whoever asks may need memory
    find_heap();
    g_state = State::known;
  }
  return g_heap;
}

// --- where the program comes first
// ----------------------------------------------------------------
//
// What the program itself defines is found before what Jostle exports, by Jostle's own code and by
// the libraries under it as well. Their calls have to come here nevertheless: the program's heap is
// put back before each execution, and Jostle's must not be. So wherever such a library holds the
// address of the program's function, it gets ours, which passes on what is not Jostle's.

namespace {

struct Function {
  const char* name;
  void* ours;  // null: what this library exports
  void* theirs;
};
extern Function g_functions[21];

bool is_for_jostle() { return (!t_self || t_self->in_runtime) && own_heap::started(); }

// Operators new and delete have up to two arguments more; who takes fewer does not look at them.
template <int index, bool aligned = false>
void* operator_new(std::size_t size, std::size_t second) {
  using Theirs = void* (*)(std::size_t, std::size_t);
  if (!is_for_jostle()) return reinterpret_cast<Theirs>(g_functions[index].theirs)(size, second);
  if (void* p = own_heap::allocate(size, aligned ? second : 16)) return p;
  std::abort();
}
template <int index>
void operator_delete(void* block, std::size_t second, std::size_t third) {
  using Theirs = void (*)(void*, std::size_t, std::size_t);
  if (own_heap::has(block)) return own_heap::release(block);
  reinterpret_cast<Theirs>(g_functions[index].theirs)(block, second, third);
}
template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

Function g_functions[21] = {
    {"_Znwm", address(&operator_new<0>), nullptr},
    {"_Znam", address(&operator_new<1>), nullptr},
    {"_ZnwmRKSt9nothrow_t", address(&operator_new<2>), nullptr},
    {"_ZnamRKSt9nothrow_t", address(&operator_new<3>), nullptr},
    {"_ZnwmSt11align_val_t", address(&operator_new<4, true>), nullptr},
    {"_ZnamSt11align_val_t", address(&operator_new<5, true>), nullptr},
    {"_ZdlPv", address(&operator_delete<6>), nullptr},
    {"_ZdaPv", address(&operator_delete<7>), nullptr},
    {"_ZdlPvm", address(&operator_delete<8>), nullptr},
    {"_ZdaPvm", address(&operator_delete<9>), nullptr},
    {"_ZdlPvSt11align_val_t", address(&operator_delete<10>), nullptr},
    {"_ZdaPvSt11align_val_t", address(&operator_delete<11>), nullptr},
    {"_ZdlPvmSt11align_val_t", address(&operator_delete<12>), nullptr},
    {"_ZdaPvmSt11align_val_t", address(&operator_delete<13>), nullptr},
    {"malloc", nullptr, nullptr},
    {"free", nullptr, nullptr},
    {"calloc", nullptr, nullptr},
    {"realloc", nullptr, nullptr},
    {"memalign", nullptr, nullptr},
    {"aligned_alloc", nullptr, nullptr},
    {"posix_memalign", nullptr, nullptr},
};

void write_pointer(void** at, void* value, bool read_only) {
  const auto page = reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{4095};
  if (read_only) mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
  *at = value;
  if (read_only) mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ);
}

template <class T>
bool within(const void* at, const T& object) {
  const auto* begin = reinterpret_cast<const char*>(&object);
  return at >= begin && at < begin + sizeof object;
}

int redirect_library(dl_phdr_info* info, std::size_t, void* provider) {
  if (!info->dlpi_name || !*info->dlpi_name) return 0;  // the program itself
  if (info->dlpi_addr == reinterpret_cast<std::uintptr_t>(provider)) return 0;
  std::uintptr_t fixed_begin = 0, fixed_end = 0;  // read-only since it was relocated
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (const auto& ph = info->dlpi_phdr[i]; ph.p_type == PT_GNU_RELRO) {
      fixed_begin = info->dlpi_addr + ph.p_vaddr;
      fixed_end = fixed_begin + ph.p_memsz;
    }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& ph = info->dlpi_phdr[i];
    if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_W)) continue;
    const std::uintptr_t begin = (info->dlpi_addr + ph.p_vaddr + 7) & ~std::uintptr_t{7};
    const std::uintptr_t end = info->dlpi_addr + ph.p_vaddr + ph.p_filesz;
    for (std::uintptr_t at = begin; at + 8 <= end; at += 8) {
      void** const word = reinterpret_cast<void**>(at);
      if (within(word, g_functions) || within(word, g_heap)) continue;
      for (const Function& f : g_functions)
        if (f.theirs && *word == f.theirs)
          write_pointer(word, f.ours, at >= fixed_begin && at < fixed_end);
    }
  }
  return 0;
}

// After the libraries' own relocations, before the program's constructors.
[[gnu::constructor]] void redirect_libraries() {
  void* const allocator = defined_first("malloc");
  static const char here = 0;
  Dl_info own{};
  if (!allocator || !dladdr(&here, &own) || library_of(allocator) == own.dli_fbase) return;
  void* const library = dlopen(own.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  if (!library) return;
  const void* const provider = library_of(allocator);
  for (Function& f : g_functions) {
    if (!f.ours) f.ours = dlsym(library, f.name);
    void* const theirs = defined_first(f.name);
    if (f.ours && library_of(theirs) == provider) f.theirs = theirs;
  }
  program_heap();
  dl_iterate_phdr(&redirect_library, const_cast<void*>(provider));
}

}  // namespace
}  // namespace jostle
#endif

#include "program/breakpoint.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "options/nearest.h"
#include "report/frames.h"
#include "report/symbols.h"
#include "trace/file_io.h"

// Between the trap and the function: saves what a function may be given in registers.
extern "C" void jostle_at_function();
extern "C" void (*jostle_reached)();
void (*jostle_reached)() = nullptr;

asm(R"(
.text
.hidden jostle_reached
.type jostle_at_function,@function
jostle_at_function:
  pushq %rbp
  movq %rsp, %rbp
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  andq $-16, %rsp
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call *jostle_reached(%rip)
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  leaq -72(%rbp), %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  popq %rbp
  ret
.size jostle_at_function,.-jostle_at_function
)");

namespace jostle::program {
namespace {

unsigned char* g_at = nullptr;
unsigned char g_byte = 0;
struct sigaction g_before;

void poke(unsigned char value) {
  const auto page = reinterpret_cast<std::uintptr_t>(g_at) & ~std::uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  *g_at = value;
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_EXEC);
}

void on_trap(int, siginfo_t*, void* context) {
  greg_t* g = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (g[REG_RIP] - 1 != reinterpret_cast<greg_t>(g_at)) {
    sigaction(SIGTRAP, &g_before, nullptr);
    return;
  }
  poke(g_byte);
  sigaction(SIGTRAP, &g_before, nullptr);
  // As if the caller had called our function, and that had been called from the function's start.
  g[REG_RSP] -= 8;
  *reinterpret_cast<greg_t*>(g[REG_RSP]) = reinterpret_cast<greg_t>(g_at);
  g[REG_RIP] = reinterpret_cast<greg_t>(&jostle_at_function);
}

struct Found {
  std::uint64_t address = 0;
  std::vector<std::string> names;
};

// All functions in the program's own table of symbols.
Found search(const std::string& wanted, std::uint64_t base) {
  Found f;
  const auto bytes = read_file("/proc/self/exe", std::size_t{1} << 32);
  if (!bytes || bytes->size() < sizeof(Elf64_Ehdr)) return f;
  const char* b = bytes->data();
  Elf64_Ehdr h;
  std::memcpy(&h, b, sizeof h);
  auto section = [&](std::size_t i) {
    Elf64_Shdr s = {};
    const std::size_t at = h.e_shoff + i * sizeof s;
    if (at + sizeof s <= bytes->size()) std::memcpy(&s, b + at, sizeof s);
    if (s.sh_offset + s.sh_size > bytes->size()) s.sh_size = 0;
    return s;
  };
  for (std::size_t i = 0; i < h.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr strings = section(s.sh_link);
    for (std::size_t k = 0; k + sizeof(Elf64_Sym) <= s.sh_size; k += sizeof(Elf64_Sym)) {
      Elf64_Sym sym;
      std::memcpy(&sym, b + s.sh_offset + k, sizeof sym);
      if (ELF64_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_value == 0 ||
          sym.st_name >= strings.sh_size)
        continue;
      const std::string name(b + strings.sh_offset + sym.st_name);
      const std::string shown = report::short_function(report::demangle(name.c_str()));
      if (name == wanted || shown == wanted || report::demangle(name.c_str()) == wanted) {
        f.address = (h.e_type == ET_DYN ? base : 0) + sym.st_value;
        return f;
      }
      f.names.push_back(shown);
    }
  }
  return f;
}

}  // namespace

Expected<bool> call_at(const std::string& function, void (*reached)()) {
  std::uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* i, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = i->dlpi_addr;
        return 1;
      },
      &base);
  const Found f = search(function, base);
  if (f.address == 0) {
    const std::vector<std::string_view> names(f.names.begin(), f.names.end());
    return Error{"the program has no function '" + function + "'" +
                 (names.empty() ? std::string(": it has no table of symbols")
                                : did_you_mean(function, names))};
  }
  jostle_reached = reached;
  g_at = reinterpret_cast<unsigned char*>(f.address);
  g_byte = *g_at;
  struct sigaction sa = {};
  sa.sa_sigaction = &on_trap;
  sa.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &sa, &g_before);
  poke(0xcc);
  return true;
}

}  // namespace jostle::program

#include "runtime/switch.h"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include <cstdlib>

extern "C" void jostle_switch_fsgsbase(void** save, void* load, std::uint64_t fs);
extern "C" void jostle_switch_prctl(void** save, void* load, std::uint64_t fs);

// Both are the same but for the way in which the thread pointer is set. The last jump goes
// through a register: a `ret` would never match the return predictor. Control words are compared
// before they are loaded: loading is slow and they hardly ever differ.
#define JOSTLE_SWITCH(name, set_thread_pointer)                                          \
  ".text\n.type " name ",@function\n" name                                               \
  ":\n"                                                                                  \
  "  .cfi_startproc\n"                                                                   \
  "  endbr64\n"                                                                          \
  "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n" \
  "  subq $8, %rsp\n"                                                                    \
  "  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"                                                 \
  "  movl (%rsp), %r8d\n  movzwl 4(%rsp), %r9d\n"                                        \
  "  movq %rsp, (%rdi)\n"                                                                \
  "  movq %rsi, %rsp\n" set_thread_pointer                                               \
  "  cmpl (%rsp), %r8d\n  jne 1f\n"                                                      \
  "  cmpw 4(%rsp), %r9w\n  jne 1f\n"                                                     \
  "2:\n"                                                                                 \
  "  addq $8, %rsp\n"                                                                    \
  "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"       \
  "  popq %rcx\n  jmp *%rcx\n"                                                           \
  "1:\n  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  jmp 2b\n"                                    \
  "  .cfi_endproc\n"                                                                     \
  ".size " name ",.-" name "\n"

asm(JOSTLE_SWITCH("jostle_switch_fsgsbase", "  wrfsbase %rdx\n"));
// arch_prctl(ARCH_SET_FS, rdx). The selector of the trap does not matter: see exempt_code().
asm(JOSTLE_SWITCH(
    "jostle_switch_prctl",
    "  movl $158, %eax\n  movl $0x1002, %edi\n  movq %rdx, %rsi\n"
    "  pushq %r8\n  pushq %r9\n  call jostle_plain_system_call\n  popq %r9\n  popq %r8\n"));

namespace jostle {

bool has_fsgsbase() { return (getauxval(AT_HWCAP2) & 2) != 0; }

SwitchFunction choose_switch() {
  // The variable is for testing the other way on machines that have the instruction.
  const bool fast = has_fsgsbase() && std::getenv("JOSTLE_INTERNAL_NO_FSGSBASE") == nullptr;
  return fast ? &jostle_switch_fsgsbase : &jostle_switch_prctl;
}

std::uint64_t thread_pointer() {
  std::uint64_t v;
  asm("movq %%fs:0, %0" : "=r"(v));  // the block starts with a pointer to itself
  return v;
}

namespace {

// What threads start with: what the first caller had.
std::uint64_t control_words() {
  static const std::uint64_t words = [] {
    std::uint32_t mxcsr;
    std::uint16_t x87;
    asm("stmxcsr %0" : "=m"(mxcsr));
    asm("fnstcw %0" : "=m"(x87));
    return mxcsr | static_cast<std::uint64_t>(x87) << 32;
  }();
  return words;
}

}  // namespace

void* make_context(char* top, void (*entry)()) {
  auto* p =
      reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--p = 0;  // where entry would return to: the end of every backtrace
  *--p = reinterpret_cast<std::uint64_t>(entry);
  for (int i = 0; i < 6; ++i) *--p = 0;
  --p;
  *p = control_words();
  return p;
}

}  // namespace jostle

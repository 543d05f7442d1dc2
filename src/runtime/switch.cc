#include "runtime/switch.h"

#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

extern "C" void jostle_switch_fsgsbase(void** save, void* load, std::uint64_t fs);
extern "C" void jostle_switch_prctl(void** save, void* load, std::uint64_t fs);

// The last jump goes through a register: a `ret` would never match the return predictor. Control
// words are compared before they are loaded: loading is slow and they hardly ever differ.
asm(R"(
.text
.type jostle_switch_fsgsbase,@function
jostle_switch_fsgsbase:
  .cfi_startproc
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movl (%rsp), %eax
  movzwl 4(%rsp), %ecx
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  wrfsbase %rdx
  cmpl (%rsp), %eax
  jne 1f
  cmpw 4(%rsp), %cx
  jne 1f
2:
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
1:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  jmp 2b
  .cfi_endproc
.size jostle_switch_fsgsbase,.-jostle_switch_fsgsbase
.type jostle_switch_prctl,@function
jostle_switch_prctl:
  .cfi_startproc
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movl $158, %eax
  movl $0x1002, %edi
  movq %rdx, %rsi
.globl jostle_prctl_syscall
.hidden jostle_prctl_syscall
  syscall
jostle_prctl_syscall:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
  .cfi_endproc
.size jostle_switch_prctl,.-jostle_switch_prctl
)");

namespace jostle {

bool has_fsgsbase() { return (getauxval(AT_HWCAP2) & 2) != 0; }

SwitchFunction choose_switch() {
  return has_fsgsbase() ? &jostle_switch_fsgsbase : &jostle_switch_prctl;
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
  auto* p = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
  *--p = 0;  // where entry would return to: the end of every backtrace
  *--p = reinterpret_cast<std::uint64_t>(entry);
  for (int i = 0; i < 6; ++i) *--p = 0;
  --p;
  *p = control_words();
  return p;
}

}  // namespace jostle

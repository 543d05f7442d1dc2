#include "runtime/system_call.h"

#include <linux/futex.h>
#include <sys/syscall.h>

extern "C" char jostle_exempt_begin[], jostle_exempt_end[];

// Also the way out of our signal handlers: rt_sigreturn has to be exempt as well. And clone: the
// kernel hands the registers on to what it creates, so they are set as the program had them (in the
// order of ucontext).
asm(R"(
.text
.p2align 4
.globl jostle_exempt_begin
.hidden jostle_exempt_begin
jostle_exempt_begin:
.globl jostle_system_call
.hidden jostle_system_call
.type jostle_system_call,@function
jostle_system_call:
  .cfi_startproc
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %r10
  movq %r9, %r8
  movq 8(%rsp), %r9
  syscall
  ret
  .cfi_endproc
.size jostle_system_call,.-jostle_system_call
.globl jostle_plain_system_call
.hidden jostle_plain_system_call
.type jostle_plain_system_call,@function
jostle_plain_system_call:
  syscall
  ret
.size jostle_plain_system_call,.-jostle_plain_system_call
.globl jostle_clone
.hidden jostle_clone
.type jostle_clone,@function
jostle_clone:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rdi, %rax
  movq %rsi, %rcx
  movq (%rcx), %r8
  movq 8(%rcx), %r9
  movq 16(%rcx), %r10
  movq 32(%rcx), %r12
  movq 40(%rcx), %r13
  movq 48(%rcx), %r14
  movq 56(%rcx), %r15
  movq 64(%rcx), %rdi
  movq 72(%rcx), %rsi
  movq 80(%rcx), %rbp
  movq 88(%rcx), %rbx
  movq 96(%rcx), %rdx
  syscall
  testq %rax, %rax
  jz 1f
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
1:
  jmp *-8(%rsp)
.size jostle_clone,.-jostle_clone
.globl jostle_restore_signal
.hidden jostle_restore_signal
.type jostle_restore_signal,@function
  nop
jostle_restore_signal:
  movq $15, %rax
  syscall
.size jostle_restore_signal,.-jostle_restore_signal
  nop
.globl jostle_exempt_end
.hidden jostle_exempt_end
jostle_exempt_end:
)");

namespace jostle {

Exempt exempt_code() {
  return {reinterpret_cast<std::uint64_t>(jostle_exempt_begin),
          reinterpret_cast<std::uint64_t>(jostle_exempt_end)};
}

void futex_sleep(int* word, int while_equal) {
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, while_equal);
}

void futex_wake_one(int* word) {
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1);
}

}  // namespace jostle

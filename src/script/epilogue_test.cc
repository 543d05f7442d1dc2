// What follow_to_return() finds, against what the processor does with the same instructions.
#include "script/epilogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/rng.h"

// Calls `code` with rbx, rbp and r12 to r15 as given, and returns what it returns. What it pops was
// pushed for it: four numbers.
extern "C" std::uint64_t jostle_test_call(const void* code, const std::uint64_t* registers);
asm(R"(
  .text
  .type jostle_test_call, @function
jostle_test_call:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  mov %rdi, %rax
  mov 0(%rsi), %rbx
  mov 8(%rsi), %rbp
  mov 16(%rsi), %r12
  mov 24(%rsi), %r13
  mov 32(%rsi), %r14
  mov 40(%rsi), %r15
  call *%rax
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
  .size jostle_test_call, .-jostle_test_call
)");

namespace jostle::scripts {
namespace {

bool read(Address a, std::uint64_t bytes, void* out) {
  std::memcpy(out, reinterpret_cast<const void*>(a), bytes);
  return true;
}

#define CODE(name, text)               \
  extern "C" const char jostle_##name; \
  asm(".text\njostle_" #name ":\n" text "\n ret\n")

// NOLINTBEGIN
CODE(moves, "mov %rbx,%rax");
CODE(half, "mov %ebx,%eax");
CODE(words, "mov %r12,%rax\n mov %bp,%ax\n mov %r15b,%al");
CODE(constant, "mov $0x1234567,%eax\n movabs $0x123456789abcdef,%rcx\n add %rcx,%rax");
CODE(zero, "xor %eax,%eax\n sub %rdx,%rdx\n add %rdx,%rax");
CODE(
    extends,
    "movsbl %bl,%eax\n movzwl %bp,%ecx\n add %ecx,%eax\n cltq\n movslq %r12d,%rdx\n xor %rdx,%rax");
CODE(address, "lea 0x10(%rbx,%rbp,4),%rax\n lea -1(,%r12,8),%ecx\n sub %rcx,%rax");
CODE(arithmetic,
     "mov %rbx,%rax\n add %rbp,%rax\n and %r12,%rax\n or $0x55,%rax\n xor %r13,%rax\n sub "
     "$0x1234,%rax");
CODE(bytes, "mov %bl,%al\n add %bpl,%al\n and $0x3f,%al\n xor %r12b,%al\n movzbl %al,%eax");
CODE(shifts,
     "mov %rbx,%rax\n shl $5,%rax\n sar $2,%rax\n shr %rax\n mov %ebp,%ecx\n sar %cl,%eax\n mov "
     "%eax,%eax");
CODE(negates, "mov %rbx,%rax\n not %rax\n neg %eax\n cltq");
CODE(multiplies,
     "mov %rbx,%rax\n imul %rbp,%rax\n imul $37,%r12,%rcx\n imul $1000,%r13d,%edx\n add "
     "%rcx,%rax\n add %rdx,%rax");
CODE(compares,
     "xor %eax,%eax\n cmp %rbx,%rbp\n setl %al\n mov $0,%ecx\n cmp %ebp,%ebx\n setae %cl\n lea "
     "(%rax,%rcx,2),%eax");
CODE(signs,
     "xor %eax,%eax\n add %ebp,%ebx\n seto %al\n mov $0,%ecx\n sets %cl\n lea (%rax,%rcx,2),%eax\n "
     "test %r12,%r12\n mov $4,%edx\n cmovs %edx,%eax\n cmovle %r13d,%eax");
CODE(borrows, "cmp %rbp,%rbx\n sbb %eax,%eax\n and $7,%eax\n add %r12d,%r13d\n adc $0,%eax");
CODE(jumps,
     "mov $1,%eax\n cmp %rbx,%rbp\n jg 1f\n mov $2,%eax\n jmp 2f\n nop\n1: test $1,%bl\n je 2f\n "
     "mov $3,%eax\n2: nopw 0x0(%rax,%rax,1)");
CODE(stack,
     "mov (%rsp),%rcx\n mov %rbx,-8(%rsp)\n mov -8(%rsp),%rax\n movl $7,-16(%rsp)\n add "
     "-16(%rsp),%eax");
CODE(guard,
     "mov %fs:0x28,%rcx\n mov %rcx,%rdx\n mov %rbx,%rax\n cmp %fs:0x28,%rcx\n jne 1f\n add "
     "$1,%rax\n1:");
CODE(caller_saved, "mov %ecx,%eax");
CODE(called, "call jostle_zero");
CODE(fraction, "cvtsi2sd %ebx,%xmm0");
CODE(uncertain, "mov $1,%eax\n cmp %rcx,%rdx\n jne 1f\n mov $2,%eax\n1:");
// NOLINTEND

Returned follow(const char& code, const std::uint64_t* r, std::uint64_t bytes) {
  // Its own return address is all that is above.
  std::uint64_t frame[32] = {};
  Registers registers{reinterpret_cast<std::uint64_t>(&code),
                      r[0],
                      r[1],
                      reinterpret_cast<std::uint64_t>(frame + 16),
                      r[2],
                      r[3],
                      r[4],
                      r[5],
                      0};
  return follow_to_return(registers, bytes, read);
}

TEST(Epilogue, DoesWhatTheProcessorDoes) {
  const std::pair<const char*, const char&> all[] = {
      {"moves", jostle_moves},       {"half", jostle_half},
      {"words", jostle_words},       {"constant", jostle_constant},
      {"zero", jostle_zero},         {"extends", jostle_extends},
      {"address", jostle_address},   {"arithmetic", jostle_arithmetic},
      {"bytes", jostle_bytes},       {"shifts", jostle_shifts},
      {"negates", jostle_negates},   {"multiplies", jostle_multiplies},
      {"compares", jostle_compares}, {"signs", jostle_signs},
      {"borrows", jostle_borrows},   {"jumps", jostle_jumps},
      {"stack", jostle_stack},       {"guard", jostle_guard},
  };
  Rng rng(1);
  for (const auto& [name, code] : all)
    for (int i = 0; i < 500; ++i) {
      std::uint64_t r[6];
      for (std::uint64_t& x : r) {
        x = rng.next();
        // Small ones, equal ones and those at the edges are the interesting ones.
        if (rng.chance(1, 2)) x = rng.below(4) - 2;
        if (rng.chance(1, 4)) x = 1ull << rng.below(64);
      }
      const Returned found = follow(code, r, 8);
      ASSERT_EQ(found.problem, "") << name;
      ASSERT_EQ(found.value, jostle_test_call(&code, r)) << name << " " << i;
    }
}

TEST(Epilogue, SaysWhatItCannotTell) {
  const std::uint64_t r[6] = {};
  const auto problem = [&](const char& code) { return follow(code, r, 4).problem; };
  EXPECT_THAT(problem(jostle_caller_saved), testing::HasSubstr("nothing says where it is"));
  EXPECT_THAT(problem(jostle_called), testing::HasSubstr("something else is called"));
  EXPECT_THAT(problem(jostle_fraction), testing::HasSubstr("is not known"));
  EXPECT_THAT(problem(jostle_uncertain), testing::HasSubstr("depends on a comparison"));
}

}  // namespace
}  // namespace jostle::scripts

#include "runtime/instructions.h"

#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "runtime/self.h"
#include "runtime/system_call.h"
#include "sched/scheduler.h"

namespace jostle {
namespace {

bool g_reads_time_stamps = false, g_draws = false;

using Bytes = std::basic_string_view<unsigned char>;

// rdtsc, rdtscp. What only looks like one costs nothing but time.
bool reads_time_stamps(Bytes code) {
  static constexpr unsigned char kPlain[] = {0x0f, 0x31}, kWithProcessor[] = {0x0f, 0x01, 0xf9};
  return memmem(code.data(), code.size(), kPlain, 2) ||
         memmem(code.data(), code.size(), kWithProcessor, 3);
}

// rdrand or rdseed of a register. Whether there was a number is in the carry flag, which the
// program will look at soon: otherwise these are other bytes that only look like it.
bool draws(Bytes code) {
  static constexpr unsigned char kGroup[] = {0x0f, 0xc7};
  while (const void* found = memmem(code.data(), code.size(), kGroup, 2)) {
    code = code.substr(
        static_cast<std::size_t>(static_cast<const unsigned char*>(found) + 2 - code.data()));
    if (code.empty() || code[0] < 0xf0) continue;
    const Bytes next = code.substr(1, 16);
    for (std::size_t i = 0; i + 1 < next.size(); ++i) {
      const bool far = next[i] == 0x0f;
      const int operation = far ? next[i + 1] & ~0x31 : next[i] & ~1;
      // Jump, set or move on (no) carry.
      if (far ? operation == 0x82 || operation == 0x42 : operation == 0x72) return true;
    }
  }
  return false;
}

int look_in(dl_phdr_info* module, std::size_t, void*) {
  if (belongs_to_system(module->dlpi_name)) return 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = module->dlpi_phdr[i];
    if (h.p_type != PT_LOAD || !(h.p_flags & PF_X) || !(h.p_flags & PF_R)) continue;
    const Bytes code(reinterpret_cast<const unsigned char*>(module->dlpi_addr + h.p_vaddr),
                     h.p_memsz);
    g_reads_time_stamps = g_reads_time_stamps || reads_time_stamps(code);
    g_draws = g_draws || draws(code);
  }
  return 0;
}

void trap_reads(bool on) {
  system_call(SYS_prctl, PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
}

}  // namespace

bool belongs_to_system(std::string_view path) {
  static constexpr std::string_view kSystem[] = {
      "linux-vdso", "ld-linux",   "libc.",     "libm.",    "libdl.",
      "librt.",     "libpthread", "libstdc++", "libgcc_s", "libc++",
      "libatomic",  "libunwind",  "libresolv", "libnss_",  "libjostle_program"};
  path = path.substr(path.rfind('/') + 1);
  return std::any_of(std::begin(kSystem), std::end(kSystem),
                     [&](std::string_view s) { return path.starts_with(s); });
}

bool look_for_instructions() {
  dl_iterate_phdr(&look_in, nullptr);
  return g_draws;
}

void control_instructions() {
  if (g_reads_time_stamps) trap_reads(true);
}

void leave_instructions() {
  if (g_reads_time_stamps) trap_reads(false);
}

bool read_time_stamp(const siginfo_t& info, void* context) {
  if (!g_reads_time_stamps || info.si_code != SI_KERNEL) return false;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* at = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const bool plain = at[0] == 0x0f && at[1] == 0x31;
  if (!plain && !(at[0] == 0x0f && at[1] == 0x01 && at[2] == 0xf9)) return false;
  std::uint64_t now;
  std::uint32_t processor = 0;
  if (Thread* t = self()) {
    now = t->scheduler->read_clock(*t);
  } else {  // Jostle's own clocks are real
    trap_reads(false);
    now = __rdtscp(&processor);
    trap_reads(true);
  }
  registers[REG_RAX] = static_cast<greg_t>(now & 0xffffffff);
  registers[REG_RDX] = static_cast<greg_t>(now >> 32);
  if (!plain) registers[REG_RCX] = processor;
  registers[REG_RIP] += plain ? 2 : 3;
  return true;
}

}  // namespace jostle

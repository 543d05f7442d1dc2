// System calls issued from our own instructions, which the trap lets through.
#pragma once

#include <cstdint>

extern "C" long jostle_system_call(long number, long a, long b, long c, long d, long e, long f);

namespace jostle {

inline long system_call(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  return jostle_system_call(n, a, b, c, d, e, f);
}

// [begin, end) of the instructions that may always make system calls.
struct Exempt {
  std::uint64_t begin, end;
};
Exempt exempt_code();

void futex_sleep(int* word, int while_equal);
void futex_wake_one(int* word);

}  // namespace jostle

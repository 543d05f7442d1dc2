// Copying and clearing a few words, in places where a call of memcpy or the start of a `rep stos`
// would cost more than the work. The barriers keep the compiler from turning the loops into
// exactly that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace jostle {

using WordPair [[gnu::vector_size(16)]] = std::uint64_t;

// kBytes is known, a multiple of 16, and not much more than a few hundred. Memory of the program
// is where it likes to be: nothing here counts on an alignment.
template <std::size_t kBytes>
inline void clear_few(void* to) {
  static_assert(kBytes % 16 == 0);
  constexpr WordPair kZero = {0, 0};
#pragma GCC unroll 32
  for (std::size_t i = 0; i < kBytes; i += 16) {
    __builtin_memcpy(static_cast<char*>(to) + i, &kZero, 16);
    asm volatile("");
  }
}

inline void copy_words(char* to, const char* from, std::size_t n) {
  if (n > 256) {
    std::memcpy(to, from, n);
    return;
  }
  for (; n >= 16; n -= 16, to += 16, from += 16) {
    WordPair pair;
    __builtin_memcpy(&pair, from, 16);
    __builtin_memcpy(to, &pair, 16);
    asm volatile("");
  }
  if (n >= 8) {
    __builtin_memcpy(to, from, 8);
    n -= 8, to += 8, from += 8;
  }
  for (; n > 0; --n) *to++ = *from++;
}

inline void clear_words(char* to, std::size_t n) {
  if (n > 256) {
    std::memset(to, 0, n);
    return;
  }
  constexpr WordPair kZero = {0, 0};
  for (; n >= 64; n -= 64, to += 64) clear_few<64>(to);
  for (; n >= 16; n -= 16, to += 16) {
    __builtin_memcpy(to, &kZero, 16);
    asm volatile("");
  }
  if (n >= 8) {
    __builtin_memcpy(to, &kZero, 8);
    n -= 8, to += 8;
  }
  for (; n > 0; --n) *to++ = 0;
}

}  // namespace jostle

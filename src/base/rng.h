// Deterministic random numbers: the same seed gives the same sequence on every machine.
#pragma once

#include <cstdint>

namespace jostle {

// Turns any 64-bit number into a well mixed one; consecutive inputs give unrelated outputs.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

constexpr std::uint64_t combine64(std::uint64_t a, std::uint64_t b) {
  return mix64(a ^ (mix64(b) + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2)));
}

// xorshift128+: two words of state, a few instructions a number.
class Rng {
 public:
  Rng() { seed(0); }
  explicit Rng(std::uint64_t s) { seed(s); }

  void seed(std::uint64_t s) {
    a_ = mix64(s);
    b_ = mix64(a_ ^ 0x5851f42d4c957f2dull) | 1;
  }

  std::uint64_t next() {
    std::uint64_t x = a_;
    const std::uint64_t y = b_;
    a_ = y;
    x ^= x << 23;
    b_ = x ^ y ^ (x >> 17) ^ (y >> 26);
    return b_ + y;
  }

  // Uniform in [0, n); n > 0. The bias of the multiply is below 2^-32 for the small n used here.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }

  std::uint64_t below64(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }

  // True with probability num/den.
  bool chance(std::uint32_t num, std::uint32_t den) { return below(den) < num; }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t a_ = 0, b_ = 0;
};

}  // namespace jostle

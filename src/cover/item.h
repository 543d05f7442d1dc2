// What coverage counts: interleavings, named by places in the code.
#pragma once

#include <compare>
#include <cstddef>

#include "base/rng.h"
#include "sched/access_log.h"

namespace jostle::covering {

// Maple's interleaving idioms (Yu, Narayanasamy, Pereira, Pokam, OOPSLA 2012), and the pairs of
// synchronization coverage (Hong, Ahn, Park, Kim, Harrold, ISSTA 2012). P=>Q: P and Q in different
// threads, on the same object, in conflict, and no access to it between.
enum class Idiom : std::uint8_t {
  one = 1,  // A=>B
  two,      // T1: A..C, T2: B       A=>B=>C
  three,    // T1: A..D, T2: B..C    A=>B, C=>D, one object
  four,     // T1: A..D, T2: B..C    A=>B on one object, C=>D on another
  five,     // T1: A..D, T2: C..B    the same: the shape of deadlocks
  six,      // T1: A..C, T2: B..D    the same
  pair,     // B takes a lock, and A was the last to take it before; any threads
};

struct Item {
  Idiom idiom = Idiom::one;
  SiteKey at[4] = {};  // A to D; 0: there is none

  friend auto operator<=>(const Item&, const Item&) = default;
  friend bool operator==(const Item&, const Item&) = default;

  int places() const { return idiom == Idiom::two ? 3 : at[2] ? 4 : 2; }
  // Made for every item that every execution exposes: a factor for each place, and one mixing.
  std::uint64_t hash() const {
    constexpr std::uint64_t kFactors[] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull,
                                          0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull};
    std::uint64_t h = static_cast<std::uint64_t>(idiom);
    for (int i = 0; i < 4; ++i) h += (at[i] ^ (at[i] >> 24)) * kFactors[i];
    return mix64(h);
  }
  // Of idiom 5 there are two ways to say the same.
  static Item five(SiteKey a, SiteKey b, SiteKey c, SiteKey d) {
    if (a > c || (a == c && b > d)) return {Idiom::five, {c, d, a, b}};
    return {Idiom::five, {a, b, c, d}};
  }
};

}  // namespace jostle::covering

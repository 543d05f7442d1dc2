// What a search has learned about the program: races, and the places that they made scheduling
// points.
#pragma once

#include "explore/session.h"

namespace jostle::explore {

struct Known {
  std::vector<std::uint64_t> promoted;
  // Races in the order of discovery, with the round's sites that they were found under.
  struct Race {
    Plan plan;
    Problem race;
    std::uint32_t promoted;  // how many of `promoted` were in force
    Profile profile;
  };
  std::vector<Race> races;

  bool promote(std::uint64_t pc) {
    for (const std::uint64_t p : promoted)
      if (p == pc) return false;
    if (promoted.size() == Assignment::kSites) return false;
    promoted.push_back(pc);
    return true;
  }
};

// The whole address of a place of which only the low half was kept.
inline std::uint64_t whole(std::uint64_t near, std::uint64_t low) {
  return low >> 32 ? low : (near & ~0xffffffffull) | low;
}

inline void fill(Assignment& a, const Known& known, std::uint32_t promoted,
                 const Profile& profile) {
  a.clear();
  a.profile = profile;
  a.promoted_count = promoted;
  for (std::uint32_t i = 0; i < promoted; ++i) a.promoted[i] = known.promoted[i];
  for (const Known::Race& r : known.races) {
    if (a.watched_count + 2 > Assignment::kSites) break;
    a.watched[a.watched_count++] = r.race.place.pc;
    a.watched[a.watched_count++] = whole(r.race.place.pc, r.race.other.pc);
  }
}

// Do two reports name the same pair of places?
inline bool same_race(const Problem& x, const Problem& y) {
  const auto a = static_cast<std::uint32_t>(x.place.pc), b = static_cast<std::uint32_t>(x.other.pc);
  const auto c = static_cast<std::uint32_t>(y.place.pc), d = static_cast<std::uint32_t>(y.other.pc);
  return (a == c && b == d) || (a == d && b == c);
}

}  // namespace jostle::explore

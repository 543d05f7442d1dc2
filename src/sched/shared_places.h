// Places in the code that were seen to touch memory that other threads touch. Plain data of fixed
// size, so that it can lie in memory that is shared between processes.
#pragma once

#include <cstring>

#include "base/types.h"

namespace jostle {

struct SharedPlaces {
  static constexpr std::uint32_t kMost = 4096;

  std::uint32_t count;
  std::uint64_t pc[kMost];

  // Zeroed memory has begun already.
  void begin() {
    if (count > 0) std::memset(slot_, 0, sizeof slot_);
    count = 0;
  }
  // What has no room is left out: executions to come will meet it again.
  void add(std::uint64_t place) {
    std::uint16_t& s = slot_[find(place)];
    if (s != 0 || count == kMost) return;
    pc[count++] = place;
    s = static_cast<std::uint16_t>(count);
  }

 private:
  static constexpr std::uint32_t kSlots = 4 * kMost;
  std::uint32_t find(std::uint64_t place) const {
    auto i = static_cast<std::uint32_t>(place * 0x9e3779b97f4a7c15ull >> 40) & (kSlots - 1);
    while (slot_[i] != 0 && pc[slot_[i] - 1] != place) i = (i + 1) & (kSlots - 1);
    return i;
  }
  std::uint16_t slot_[kSlots];  // 1 + index
};

}  // namespace jostle

// Memory that this process may share with others: its mappings of the kind that a fork does not
// copy, Jostle's own aside.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace jostle {

// Plain data: may lie in shared memory itself.
class SharedMemory {
 public:
  // Asks the kernel what there is now.
  void find();
  bool empty() const { return count_ == 0; }
  bool has(Address a) const {
    for (std::uint32_t i = 0; i < count_; ++i)
      if (a >= range_[i].begin && a < range_[i].end) return true;
    return false;
  }

 private:
  static constexpr std::uint32_t kMost = 64;
  std::uint32_t count_ = 0;
  struct {
    Address begin, end;
  } range_[kMost] = {};
};

}  // namespace jostle

// A set of hashes that is emptied often: that takes no longer than it has entries.
#pragma once

#include <cstdint>
#include <vector>

namespace jostle::covering {

class HashSet {
 public:
  bool has(std::uint64_t hash) const { return slots_[at(hash)] == hash; }
  void add(std::uint64_t hash) {
    if (all_.size() * 2 >= slots_.size()) grow();
    std::uint64_t& s = slots_[at(hash)];
    if (s == hash) return;
    s = hash;
    all_.push_back(hash);
  }
  const std::vector<std::uint64_t>& all() const { return all_; }
  void clear() {
    if (all_.size() * 8 > slots_.size())
      slots_.assign(slots_.size(), 0);
    else
      for (const std::uint64_t h : all_) remove(h);
    all_.clear();
  }

 private:
  // Where it is, or would be. No hash is 0, practically.
  std::size_t at(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i] != 0 && slots_[i] != hash) i = (i + 1) & mask;
    return i;
  }
  // Only when all go: what was in its way goes, too.
  void remove(std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) slots_[i] = 0;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (const std::uint64_t h : all_) slots_[at(h)] = h;
  }

  std::vector<std::uint64_t> all_;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);
};

}  // namespace jostle::covering

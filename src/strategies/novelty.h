// Goes for interleavings that no execution has had yet: of the threads that could go on, the one
// whose operation completes most of them. Where none does, one after which another would; where
// there is none either, as at random. What was exposed is in a table that all executions share.
//
// The scheduling controller of synchronization coverage (see pair_controller.h) does this for pairs
// of locks; here it is done for iRoots, and without pausing anybody.
#pragma once

#include "cover/exposure.h"
#include "sched/strategy.h"

namespace jostle {

// Hashes of items. Entries are never removed. Zeroed memory is an empty one. It is no larger than
// it must be, so that what is looked up for each step stays near the processor.
struct SeenItems {
  static constexpr std::uint32_t kFirst = 1u << 12, kSlots = 1u << 20;
  std::uint32_t count = 0;
  std::uint32_t doublings = 0;
  std::uint64_t slot[kSlots] = {};

  bool has(const covering::Item& i) const { return has(i.hash()); }
  bool has(std::uint64_t hash) const { return slot[find(hash | 1)] != 0; }
  bool full() const { return count >= kSlots / 2; }
  void add(std::uint64_t hash) {
    if (full()) return;  // what is not there is new each time
    if (count >= size() / 2) grow();
    std::uint64_t& s = slot[find(hash | 1)];
    count += s == 0;
    s = hash | 1;
  }

 private:
  std::uint32_t size() const { return kFirst << doublings; }
  std::uint32_t find(std::uint64_t hash) const {
    const std::uint32_t mask = size() - 1;
    auto i = static_cast<std::uint32_t>(hash >> 20) & mask;
    while (slot[i] != 0 && slot[i] != hash) i = (i + 1) & mask;
    return i;
  }
  void grow();
};

class Novelty : public Strategy {
 public:
  // Must stay where it is while executions are made.
  void aim(const SeenItems& seen, std::uint32_t window) {
    seen_ = &seen;
    window_ = window;
  }

  void begin(const Plan& plan, const Profile& profile) override;
  ThreadId pick(const View& view) override;
  bool wants_events() const override { return true; }
  void performed(const View& view, ThreadId t, const Op& op) override;

 private:
  static constexpr std::uint32_t kPast = 1u << 16, kObjects = 1u << 15;
  struct Last {
    Address object;
    std::uint32_t access;     // 1 + index
    std::uint32_t execution;  // older ones are no more
  };

  covering::PastAccess access_of(ThreadId t, const Intent& i) const;
  Last* last_of(Address object);
  std::uint32_t gain(ThreadId t, const Intent& i);

  const SeenItems* seen_ = nullptr;
  std::uint32_t window_ = 50;
  std::uint32_t execution_ = 0, count_ = 0;
  std::uint32_t stickiness_ = 2;
  std::uint32_t latest_[kMaxThreads] = {};  // of each thread: 1 + index
  covering::PastAccess past_[kPast];
  Last last_[kObjects] = {};
};

}  // namespace jostle

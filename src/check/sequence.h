// Steps as far as others may depend on them: what outlives the execution that they were made in.
#pragma once

#include <vector>

#include "check/bytes.h"
#include "sched/step_log.h"

namespace jostle::checking {

struct Reach {
  Address object;
  std::uint32_t size;
  Touch touch;
};

class Sequence {
 public:
  struct Deed {
    ThreadId thread;       // by Names
    std::uint16_t choice;  // 0: there was none, or whichever is first
    std::uint32_t first;   // of what it reaches
    std::uint32_t count;
  };

  // Another deed; then, what it reaches.
  void add(ThreadId thread, std::uint16_t choice) {
    deeds_.push_back({thread, choice, static_cast<std::uint32_t>(reaches_.size()), 0});
  }
  void reach(const Access& a) {
    reaches_.push_back({a.object, a.size, a.touch});
    ++deeds_.back().count;
  }
  void append(const Sequence& other, std::size_t deed);
  void clear() {
    deeds_.clear();
    reaches_.clear();
  }

  // As much of it was done, with these choices.
  void come_true(const std::vector<std::uint16_t>& choices) {
    deeds_.resize(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) deeds_[i].choice = choices[i];
  }

  void set_choice(std::size_t i, std::uint16_t choice) { deeds_[i].choice = choice; }

  std::size_t size() const { return deeds_.size(); }
  bool empty() const { return deeds_.empty(); }
  const Deed& operator[](std::size_t i) const { return deeds_[i]; }
  std::uint64_t bytes() const {
    return deeds_.size() * sizeof(Deed) + reaches_.size() * sizeof(Reach);
  }

  // Does deed i depend on deed k of the other?
  bool conflicts(std::size_t i, const Sequence& other, std::size_t k) const;

  void save(Writer& w) const {
    w.list(deeds_);
    w.list(reaches_);
  }
  bool load(Reader& r);  // false: that is no sequence

 private:
  std::vector<Deed> deeds_;
  std::vector<Reach> reaches_;
};

// A sequence that is wanted, without what was done of it already.
class Wanted {
 public:
  explicit Wanted(const Sequence& s) : all_(s), left_(s.size()) {
    for (std::uint32_t i = 0; i < left_.size(); ++i) left_[i] = i;
  }
  // Could the deed come first, without anything of the sequence noticing? If so, it is done.
  bool begin_with(const Sequence& s, std::size_t deed);
  // What the thread is to choose next; 0: nothing, or whatever is first.
  std::uint16_t choice_of(ThreadId thread) const;
  bool empty() const { return left_.empty(); }
  Sequence rest() const;

 private:
  const Sequence& all_;
  std::vector<std::uint32_t> left_;
};

}  // namespace jostle::checking

// Which weak compare-exchanges fail for no reason.
//
// Said beforehand: that one of this thread does which would be the n-th to succeed. Then nothing is
// left to be chosen, and what depends on what is known before it is done. Each such set is searched
// on its own; an execution in which a thread does not come so far belongs to a smaller set.
#pragma once

#include <algorithm>
#include <compare>

#include "base/types.h"

namespace jostle::checking {

struct Fail {
  ThreadId thread;        // by Names
  std::uint32_t ordinal;  // of its weak compare-exchanges that could succeed, counted from 1
  friend auto operator<=>(const Fail&, const Fail&) = default;
};

struct Fails {
  static constexpr std::uint32_t kMost = 32;
  std::uint32_t count = 0;
  Fail list[kMost] = {};

  const Fail* begin() const { return list; }
  const Fail* end() const { return list + count; }
  bool has(ThreadId thread, std::uint32_t ordinal) const {
    return std::find(begin(), end(), Fail{thread, ordinal}) != end();
  }
  // As little as there is: mostly nothing.
  void copy(const Fails& other) {
    count = other.count;
    std::copy(other.begin(), other.end(), list);
  }
  // In order: the same set is the same list.
  void add(const Fail& f) {
    Fail* const at = std::lower_bound(list, list + count, f);
    std::copy_backward(at, list + count, list + count + 1);
    *at = f;
    ++count;
  }
  friend bool operator==(const Fails& a, const Fails& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

}  // namespace jostle::checking

// Which iRoots an access completes, as an execution goes on. Allocates nothing: the memory is the
// caller's.
#pragma once

#include "cover/item.h"

namespace jostle::covering {

struct PastAccess {
  SiteKey site = 0;
  Address object = 0;
  std::uint32_t position = 0;  // among the accesses of its thread
  std::uint32_t before = 0;    // of its thread: 1 + index; 0: none
  std::uint32_t to = 0;        // the access that depends on it: 1 + index; 0: none
  // Of its thread to the same object, at least within the window: 1 + index; 0: none.
  std::uint32_t same_before = 0, same_after = 0;
  ThreadId thread = 0;
  Did did = Did::read;
};

class Exposure {
 public:
  // `past`: all accesses so far.
  Exposure(PastAccess* past, std::uint32_t window) : past_(past), window_(window) {}

  // Calls f with every item that `a` completes, if `from` (1 + index; 0: none) was the last access
  // to its object. `a` need not happen; its `before` and `position` must be right.
  template <class F>
  void completed_by(const PastAccess& a, std::uint32_t from, F f) const {
    if (from == 0) return;
    const PastAccess& c = past_[from - 1];
    if (c.thread == a.thread || !conflicting(c.did, a.did)) return;
    f(Item{Idiom::one, {c.site, a.site}});
    compound(c, from, a, f);
  }

  // The last access of its thread to the same object within the window: 1 + index; 0: none.
  std::uint32_t same_before(const PastAccess& a) const {
    std::uint32_t i = a.before;
    for (std::uint32_t k = 1; k <= window_ && i != 0; ++k, i = past_[i - 1].before)
      if (past_[i - 1].object == a.object) return i;
    return 0;
  }

  // `a` has happened: it is number `number` (from 1) of all. Its `same_before` must be right.
  void happened(const PastAccess& a, std::uint32_t from, std::uint32_t number) {
    if (a.same_before != 0) past_[a.same_before - 1].same_after = number;
    past_[number - 1] = a;
    if (from == 0) return;
    PastAccess& c = past_[from - 1];
    if (c.thread != a.thread && conflicting(c.did, a.did)) c.to = number;
  }

 private:
  // All with C=>D as the dependency that came true last; in idiom 5, which has no first and second,
  // that is either of them.
  template <class F>
  void compound(const PastAccess& c, std::uint32_t c_number, const PastAccess& d, F f) const {
    // In 2 to 5 the thread of D touches neither object between A and D: nobody after A touches
    // that of A, and behind the last access to that of D nothing counts.
    std::uint32_t i = d.before;
    for (std::uint32_t k = 1; k <= window_ && i != 0; ++k) {
      const PastAccess& a = past_[i - 1];
      i = a.before;
      const bool same = a.object == d.object;
      if (a.to != 0 && a.same_after == 0) {
        const PastAccess& b = past_[a.to - 1];
        if (b.thread != c.thread) {
        } else if (a.to == c_number) {
          f(Item{Idiom::two, {a.site, b.site, d.site}});
        } else if (b.position < c.position) {
          if (c.position - b.position <= window_)
            f(Item{same ? Idiom::three : Idiom::four, {a.site, b.site, c.site, d.site}});
        } else if (!same && b.position - c.position <= window_ && untouched(c, b)) {
          f(Item::five(a.site, b.site, c.site, d.site));
        }
      }
      if (same) break;
    }
    i = c.before;
    for (std::uint32_t k = 1; k <= window_ && i != 0; ++k) {
      const PastAccess& a = past_[i - 1];
      i = a.before;
      if (a.to == 0 || a.object == c.object) continue;
      const PastAccess& b = past_[a.to - 1];
      if (b.thread == d.thread && d.position - b.position <= window_)
        f(Item{Idiom::six, {a.site, b.site, c.site, d.site}});
    }
  }

  // Does the thread leave both objects alone between the two, which lie within a window?
  bool untouched(const PastAccess& from, const PastAccess& to) const {
    const auto outside = [&](std::uint32_t n) {
      return n == 0 || past_[n - 1].position <= from.position ||
             past_[n - 1].position >= to.position;
    };
    return outside(from.same_after) && outside(to.same_before);
  }

  PastAccess* past_;
  std::uint32_t window_;
};

}  // namespace jostle::covering

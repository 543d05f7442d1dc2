// Which iRoots an access completes, as an execution goes on. Allocates nothing: the memory is the
// caller's.
#pragma once

#include <algorithm>

#include "cover/item.h"

namespace jostle::covering {

struct PastAccess {
  SiteKey site = 0;
  Address object = 0;
  std::uint32_t position = 0;  // among the accesses of its thread
  std::uint32_t before = 0;    // of its thread: 1 + index; 0: none
  std::uint32_t to = 0;        // the access that depends on it: 1 + index; 0: none
  ThreadId thread = 0;
  Did did = Did::read;
};

class Exposure {
 public:
  // `past`: all accesses so far. `touched`: room for `window` addresses.
  Exposure(const PastAccess* past, std::uint32_t window, Address* touched)
      : past_(past), window_(window), touched_(touched) {}

  // Calls f with every item that `a` completes, if `from` (1 + index; 0: none) was the last access
  // to its object. `a` need not have happened; its `before` and `position` must be right.
  template <class F>
  void completed_by(const PastAccess& a, std::uint32_t from, F f) const {
    if (from == 0) return;
    const PastAccess& c = past_[from - 1];
    if (c.thread == a.thread || !conflicting(c.did, a.did)) return;
    f(Item{Idiom::one, {c.site, a.site}});
    compound(c, from, a, f);
  }

 private:
  // All with C=>D as the dependency that came true last; in idiom 5, which has no first and second,
  // that is either of them.
  template <class F>
  void compound(const PastAccess& c, std::uint32_t c_number, const PastAccess& d, F f) const {
    back(d, [&](const PastAccess& a, bool clean) {
      if (a.to == 0 || !clean) return;
      const PastAccess& b = past_[a.to - 1];
      if (b.thread != c.thread) return;
      const bool same = a.object == d.object;
      if (a.to == c_number) {
        f(Item{Idiom::two, {a.site, b.site, d.site}});
      } else if (b.position < c.position) {
        if (c.position - b.position <= window_)
          f(Item{same ? Idiom::three : Idiom::four, {a.site, b.site, c.site, d.site}});
      } else if (!same && b.position - c.position <= window_ && untouched(c, b)) {
        f(Item::five(a.site, b.site, c.site, d.site));
      }
    });
    back(c, [&](const PastAccess& a, bool) {
      if (a.to == 0 || a.object == c.object) return;
      const PastAccess& b = past_[a.to - 1];
      if (b.thread == d.thread && b.position < d.position && d.position - b.position <= window_)
        f(Item{Idiom::six, {a.site, b.site, c.site, d.site}});
    });
  }

  // The accesses of the same thread within the window before `end`, the last first. Clean: no
  // access between touches either's object.
  template <class F>
  void back(const PastAccess& end, F f) const {
    std::uint32_t touched = 0;
    bool end_clean = true;
    std::uint32_t i = end.before;
    for (std::uint32_t k = 1; k <= window_ && i != 0; ++k) {
      const PastAccess& a = past_[i - 1];
      const bool fresh = std::find(touched_, touched_ + touched, a.object) == touched_ + touched;
      f(a, fresh && end_clean);
      if (fresh) touched_[touched++] = a.object;
      end_clean &= a.object != end.object;
      i = a.before;
    }
  }

  // Does the thread leave both objects alone between the two?
  bool untouched(const PastAccess& from, const PastAccess& to) const {
    for (std::uint32_t i = to.before; i != 0; i = past_[i - 1].before) {
      const PastAccess& a = past_[i - 1];
      if (a.position == from.position) break;
      if (a.object == from.object || a.object == to.object) return false;
    }
    return true;
  }

  const PastAccess* past_;
  std::uint32_t window_;
  Address* touched_;
};

}  // namespace jostle::covering

#include "cover/observer.h"

#include <algorithm>
#include <unordered_map>

namespace jostle::covering {
namespace {

constexpr std::uint32_t kNone = ~0u;

class Observation {
 public:
  Observation(const Execution& e, std::uint32_t window, Items& out)
      : e_(e), window_(window), out_(out), to_(e.accesses.size(), kNone) {}

  void go() {
    std::unordered_map<Address, std::uint32_t> last;
    for (std::uint32_t d = 0; d < e_.accesses.size(); ++d) {
      const Access& a = e_.accesses[d];
      const auto [it, first] = last.try_emplace(a.object, d);
      if (first) continue;
      const std::uint32_t c = it->second;
      it->second = d;
      const Access& before = e_.accesses[c];
      if (before.thread == a.thread || !conflicting(before.did, a.did)) continue;
      to_[c] = d;
      out_.insert({Idiom::one, {before.site, a.site}});
      compound(c, d);
    }
  }

 private:
  // All with C=>D as the dependency that came true last; in idiom 5, which has no first and second,
  // that is either of them.
  void compound(std::uint32_t c, std::uint32_t d) {
    const Access& from = e_.accesses[c];
    const Access& to = e_.accesses[d];
    back(d, [&](const Access& a, std::uint32_t index, bool clean) {
      if (to_[index] == kNone) return;
      const Access& b = e_.accesses[to_[index]];
      if (b.thread != from.thread || !clean) return;
      const bool same = a.object == to.object;
      if (to_[index] == c) {
        out_.insert({Idiom::two, {a.site, b.site, to.site}});
      } else if (b.position < from.position) {
        if (from.position - b.position <= window_)
          out_.insert({same ? Idiom::three : Idiom::four, {a.site, b.site, from.site, to.site}});
      } else if (!same && b.position - from.position <= window_ && untouched(from, b)) {
        out_.insert(Item::five(a.site, b.site, from.site, to.site));
      }
    });
    back(c, [&](const Access& a, std::uint32_t index, bool) {
      if (to_[index] == kNone || a.object == from.object) return;
      const Access& b = e_.accesses[to_[index]];
      if (b.thread == to.thread && b.position < to.position && to.position - b.position <= window_)
        out_.insert({Idiom::six, {a.site, b.site, from.site, to.site}});
    });
  }

  // The accesses of the same thread within the window before `index`, the last first. Clean: no
  // access between touches either's object.
  template <class F>
  void back(std::uint32_t index, F f) {
    const Access& end = e_.accesses[index];
    const auto& own = e_.by_thread[end.thread];
    touched_.clear();
    bool end_clean = true;
    for (std::uint32_t k = 1; k <= window_ && k <= end.position; ++k) {
      const std::uint32_t i = own[end.position - k];
      const Access& a = e_.accesses[i];
      const bool fresh = std::find(touched_.begin(), touched_.end(), a.object) == touched_.end();
      f(a, i, fresh && end_clean);
      if (fresh) touched_.push_back(a.object);
      end_clean &= a.object != end.object;
    }
  }

  // Does the thread leave both objects alone between the two?
  bool untouched(const Access& from, const Access& to) const {
    const auto& own = e_.by_thread[from.thread];
    for (std::uint32_t k = from.position + 1; k < to.position; ++k) {
      const Address o = e_.accesses[own[k]].object;
      if (o == from.object || o == to.object) return false;
    }
    return true;
  }

  const Execution& e_;
  std::uint32_t window_;
  Items& out_;
  std::vector<std::uint32_t> to_;  // by access: the one that depends on it
  std::vector<Address> touched_;
};

}  // namespace

void observe_iroots(const Execution& e, std::uint32_t window, Items& out) {
  Observation(e, window, out).go();
}

void observe_pairs(const Execution& e, Items& out) {
  std::unordered_map<Address, std::uint64_t> last;
  for (const AccessRecord& r : e.acquisitions) {
    const SiteKey site = site_key(r.pc, r.did);
    const auto [it, first] = last.try_emplace(r.object, site);
    if (!first) out.insert({Idiom::pair, {it->second, site}});
    it->second = site;
  }
}

}  // namespace jostle::covering

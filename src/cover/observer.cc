#include "cover/observer.h"

#include <unordered_map>

#include "cover/exposure.h"

namespace jostle::covering {

void observe_iroots(const Execution& e, std::uint32_t window, Items& out) {
  std::vector<PastAccess> past(e.accesses.size());
  std::vector<std::uint32_t> latest(e.by_thread.size(), 0);  // of each thread: 1 + index
  std::vector<std::uint32_t> last(e.objects, 0);             // of each object: 1 + index
  Exposure exposure(past.data(), window);
  std::uint32_t number = 0;
  for (const Access& a : e.accesses) {
    PastAccess now{a.site, a.object, a.position, latest[a.thread], 0, 0, 0, a.thread, a.did};
    now.same_before = exposure.same_before(now);
    std::uint32_t& from = last[a.number];
    exposure.completed_by(now, from, [&](const Item& i) { out.insert(i); });
    exposure.happened(now, from, ++number);
    latest[a.thread] = from = number;
  }
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

#include "cover/observer.h"

#include <unordered_map>

#include "cover/exposure.h"

namespace jostle::covering {

void observe_iroots(const Execution& e, std::uint32_t window, Items& out) {
  std::vector<PastAccess> past;
  past.reserve(e.accesses.size());
  std::vector<Address> touched(window);
  std::vector<std::uint32_t> latest(e.by_thread.size(), 0);  // of each thread: 1 + index
  std::unordered_map<Address, std::uint32_t> last;           // of each object: 1 + index
  const Exposure exposure(past.data(), window, touched.data());
  for (const Access& a : e.accesses) {
    const PastAccess now{a.site, a.object, a.position, latest[a.thread], 0, a.thread, a.did};
    std::uint32_t& from = last[a.object];
    bool depends = false;
    exposure.completed_by(now, from, [&](const Item& i) {
      depends = true;
      out.insert(i);
    });
    past.push_back(now);
    const auto number = static_cast<std::uint32_t>(past.size());
    if (depends) past[from - 1].to = number;
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

#include "cover/execution.h"

#include <unordered_map>

namespace jostle::covering {

Execution::Execution(const AccessRecord* records, std::size_t count) {
  constexpr ThreadId kSeveral = kNoThread;
  std::unordered_map<Address, ThreadId> users;
  const auto counts = [](const AccessRecord& r) {
    return is_memory(r.did) || is_acquire(r.did) || is_release(r.did);
  };
  std::size_t threads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const AccessRecord& r = records[i];
    if (r.thread >= threads) threads = r.thread + 1u;
    if (r.did == Did::fork && r.object >= threads) threads = r.object + 1;
    if (!counts(r)) continue;
    const auto [it, first] = users.try_emplace(object_of(r), r.thread);
    if (!first && it->second != r.thread) it->second = kSeveral;
  }
  by_thread.resize(threads);
  for (std::size_t i = 0; i < count; ++i) {
    const AccessRecord& r = records[i];
    if (is_acquire(r.did)) acquisitions.push_back(r);
    if (counts(r) && users[object_of(r)] == kSeveral) {
      auto& own = by_thread[r.thread];
      const auto position = static_cast<std::uint32_t>(own.size());
      own.push_back(static_cast<std::uint32_t>(accesses.size()));
      accesses.push_back({site_key(r.pc, r.did), object_of(r), position, r.thread, r.did,
                          r.reads || r.did == Did::read});
    } else if (!is_memory(r.did)) {
      others.push_back({static_cast<std::uint32_t>(accesses.size()), r});
    }
  }
}

}  // namespace jostle::covering

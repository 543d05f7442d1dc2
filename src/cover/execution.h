// The accesses of one execution to what its threads share.
#pragma once

#include <vector>

#include "sched/access_log.h"

namespace jostle::covering {

struct Access {
  SiteKey site = 0;
  Address object = 0;
  std::uint32_t number = 0;    // of the object, among all
  std::uint32_t position = 0;  // among the accesses of its thread that are here
  ThreadId thread = 0;
  Did did = Did::read;
  bool reads = false;  // whatever it does besides
};

struct Execution {
  std::vector<Access> accesses;                       // memory and locks that two threads touched
  std::vector<std::vector<std::uint32_t>> by_thread;  // indices into `accesses`, in order
  // Everything else, and locks of one thread: where in `accesses` it comes before.
  struct Other {
    std::uint32_t before = 0;
    AccessRecord record;
  };
  std::vector<Other> others;
  std::vector<AccessRecord> acquisitions;  // of all locks
  std::uint32_t objects = 0;               // how many there are numbers for
  bool truncated = false;

  explicit Execution(const AccessLog& log) : Execution(log.records, log.count) {
    truncated = log.truncated;
  }
  Execution(const AccessRecord* records, std::size_t count);
};

// Locks and memory at the same address are different objects.
constexpr Address object_of(const AccessRecord& r) {
  return is_memory(r.did) ? r.object : r.object | 1ull << 63;
}
constexpr Address address_of(Address object) { return object & ~(1ull << 63); }

}  // namespace jostle::covering

#include "cover/execution.h"

namespace jostle::covering {
namespace {

bool counts(const AccessRecord& r) {
  return is_memory(r.did) || is_acquire(r.did) || is_release(r.did);
}

// Objects by address, numbered in the order in which they were touched first.
class Objects {
 public:
  struct Object {
    Address address = 0;
    ThreadId user = kNoThread;
    bool several = false;  // users
  };
  std::uint32_t touch(Address a, ThreadId t) {
    if (objects_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& s = slot(a);
    if (s == 0) {
      objects_.push_back({a, t, false});
      s = static_cast<std::uint32_t>(objects_.size());
    }
    Object& o = objects_[s - 1];
    o.several |= o.user != t;
    return s - 1;
  }
  const Object& operator[](std::uint32_t number) const { return objects_[number]; }
  std::size_t size() const { return objects_.size(); }

 private:
  std::uint32_t& slot(Address a) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (a * 0x9e3779b97f4a7c15ull >> 20) & mask;
    while (slots_[at] != 0 && objects_[slots_[at] - 1].address != a) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t n = 0; n < objects_.size(); ++n) slot(objects_[n].address) = n + 1;
  }
  std::vector<Object> objects_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256);  // 1 + number
};

}  // namespace

Execution::Execution(const AccessRecord* records, std::size_t count) {
  Objects all;
  std::vector<std::uint32_t> number(count);
  std::size_t threads = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const AccessRecord& r = records[i];
    if (r.thread >= threads) threads = r.thread + 1u;
    if (r.did == Did::fork && r.object >= threads) threads = r.object + 1;
    if (counts(r)) number[i] = all.touch(object_of(r), r.thread);
  }
  objects = static_cast<std::uint32_t>(all.size());
  by_thread.resize(threads);
  for (std::size_t i = 0; i < count; ++i) {
    const AccessRecord& r = records[i];
    if (is_acquire(r.did)) acquisitions.push_back(r);
    if (counts(r) && all[number[i]].several) {
      auto& own = by_thread[r.thread];
      const auto position = static_cast<std::uint32_t>(own.size());
      own.push_back(static_cast<std::uint32_t>(accesses.size()));
      accesses.push_back({site_key(r.pc, r.did), object_of(r), number[i], position, r.thread, r.did,
                          r.reads || r.did == Did::read});
    } else if (!is_memory(r.did)) {
      others.push_back({static_cast<std::uint32_t>(accesses.size()), r});
    }
  }
}

}  // namespace jostle::covering

// Containers for the target side: memory straight from mmap, never from malloc, because malloc
// is interposed and because a page that was never touched costs nothing.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/types.h"

namespace jostle {

// Where Jostle's own memory lies: what must not be put back when the program's is.
struct OwnPages {
  static constexpr std::size_t kMost = 1u << 14;
  struct Region {
    std::uintptr_t begin, end;
  };
  std::size_t count = 0;
  Region region[kMost];

  void add(const void* p, std::size_t n) {
    const std::size_t i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    if (i < kMost) region[i] = {begin, begin + n};
  }
  void remove(const void* p) {
    for (std::size_t i = 0; i < count && i < kMost; ++i)
      if (region[i].begin == reinterpret_cast<std::uintptr_t>(p)) region[i] = {0, 0};
  }
  bool complete() const { return count <= kMost; }
  // The first of our regions that ends after `at`; null if there is none.
  const Region* next(std::uintptr_t at) const {
    const Region* best = nullptr;
    for (std::size_t i = 0; i < count && i < kMost; ++i)
      if (region[i].end > at && (!best || region[i].begin < best->begin)) best = &region[i];
    return best;
  }
  bool has(std::uintptr_t at) const {
    const Region* r = next(at);
    return r && r->begin <= at;
  }
};
inline OwnPages g_own_pages;

// Where shared pages come from, if programs that are started anew are to have them, too: the same
// requests in the same order get the same pages at the same addresses. Without it, only forked
// processes have them.
struct SharedFile {
  static constexpr long kMost = 1l << 40;
  std::uintptr_t base;
  int fd = -1;
  std::size_t used = 0;
};
inline SharedFile g_shared_file{0x5e0000000000};
// The same for what only the processes of one execution share: see runtime/family.h.
inline SharedFile g_family_file{0x5c0000000000};

// While the limit is raised for pages of our own: it is not the program that changes it.
inline bool g_raises_limit = false;

// A limit of address space is meant for the program: what is ours comes on top.
inline void raise_limit(std::size_t bytes) {
  rlimit r;
  if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= r.rlim_max)
    return;
  r.rlim_cur = r.rlim_max - r.rlim_cur > bytes ? r.rlim_cur + bytes : r.rlim_max;
  g_raises_limit = true;
  setrlimit(RLIMIT_AS, &r);
  g_raises_limit = false;
}

// Reserves address space; pages appear when touched. `shared` survives in a forked child and
// is seen by both. Never returns null: a machine without address space cannot run us.
inline void* map_pages(std::size_t bytes, bool shared = false, SharedFile& file = g_shared_file) {
  const bool filed = shared && file.fd >= 0;
  raise_limit(bytes);
  void* const p =
      filed ? ::mmap(reinterpret_cast<void*>(file.base + file.used), bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file.fd,
                     static_cast<off_t>(file.used))
            : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) __builtin_trap();
  if (filed) file.used += (bytes + 4095) & ~std::size_t{4095};
  g_own_pages.add(p, bytes);
  return p;
}
// The same for processes that are forked from this one later, or started by those with the file.
inline void* map_pages_for_children(std::size_t bytes) {
  return map_pages(bytes, true, g_family_file);
}
template <class T>
T* copy_for_children(const T* from, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto* to = static_cast<T*>(map_pages_for_children((n + 1) * sizeof(T)));
  if (n > 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
  return to;
}
inline void unmap_pages(void* p, std::size_t bytes) {
  g_own_pages.remove(p);
  ::munmap(p, bytes);
}

// A vector of plain data with a fixed capacity of address space: elements never move, so
// references stay valid, and clear() keeps the pages.
template <class T>
class MappedVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit MappedVector(std::size_t capacity, bool shared = false)
      : data_(static_cast<T*>(map_pages(capacity * sizeof(T), shared))), capacity_(capacity) {}
  MappedVector(const MappedVector&) = delete;
  MappedVector& operator=(const MappedVector&) = delete;
  ~MappedVector() { unmap_pages(data_, capacity_ * sizeof(T)); }

  bool full() const { return size_ == capacity_; }
  // Precondition: !full(). The element keeps whatever bytes the slot held: callers assign it.
  T& append() { return data_[size_++]; }
  void push(const T& v) { data_[size_++] = v; }
  void pop() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t n) { size_ = n; }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }

 private:
  T* data_;
  std::size_t size_ = 0;
  std::size_t capacity_;
};

// Plain data that can come to be shared with processes that are forked later.
template <class T>
class Shareable {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  // Of this process alone again.
  void reset() {
    own_ = {};
    at_ = &own_;
  }
  // Returns where it lies from now on.
  T* share() {
    if (at_ == &own_) at_ = new (map_pages_for_children(sizeof(T))) T(own_);
    return at_;
  }
  // Another process has shared it, and it lies there.
  void adopt(T* shared) { at_ = shared; }
  T* operator->() { return at_; }
  const T* operator->() const { return at_; }

 private:
  T own_;
  T* at_ = &own_;
};

// Memory for one execution: handed out in a row, taken back all at once.
class Arena {
 public:
  explicit Arena(std::size_t capacity) : bytes_(capacity) {}
  void* allocate(std::size_t n) {
    n = (n + 15) & ~std::size_t{15};
    const std::size_t at = bytes_.size();
    if (at + n > bytes_.capacity()) __builtin_trap();
    bytes_.resize(at + n);
    return &bytes_[at];
  }
  void reset() { bytes_.clear(); }

 private:
  MappedVector<char> bytes_;
};

}  // namespace jostle

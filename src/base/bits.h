// A set of threads. Only the words in use are touched: programs with up to 64 threads pay for
// one word.
#pragma once

#include "base/types.h"

namespace jostle {

class ThreadSet {
 public:
  static constexpr std::uint32_t kWords = kMaxThreads / 64;

  // Makes room for `threads` members; new words are empty.
  void reset(std::uint32_t threads = 1) {
    words_ = (threads + 63) / 64;
    for (std::uint32_t i = 0; i < words_; ++i) w_[i] = 0;
  }
  void grow(std::uint32_t threads) {
    for (const std::uint32_t n = (threads + 63) / 64; words_ < n; ++words_) w_[words_] = 0;
  }

  bool has(ThreadId t) const { return (t >> 6) < words_ && (w_[t >> 6] >> (t & 63) & 1); }
  void add(ThreadId t) {
    grow(t + 1u);
    w_[t >> 6] |= 1ull << (t & 63);
  }
  void remove(ThreadId t) {
    if ((t >> 6) < words_) w_[t >> 6] &= ~(1ull << (t & 63));
  }
  void clear() {
    for (std::uint32_t i = 0; i < words_; ++i) w_[i] = 0;
  }

  bool empty() const {
    if (JOSTLE_LIKELY(words_ == 1)) return w_[0] == 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < words_; ++i) any |= w_[i];
    return any == 0;
  }
  std::uint32_t count() const {
    if (JOSTLE_LIKELY(words_ == 1)) return static_cast<std::uint32_t>(__builtin_popcountll(w_[0]));
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < words_; ++i)
      n += static_cast<std::uint32_t>(__builtin_popcountll(w_[i]));
    return n;
  }
  // True if the set is exactly {t}.
  bool only(ThreadId t) const {
    if (JOSTLE_LIKELY(words_ == 1)) return w_[0] == 1ull << t;
    return has(t) && count() == 1;
  }
  bool at_least_two() const {
    if (JOSTLE_LIKELY(words_ == 1)) return (w_[0] & (w_[0] - 1)) != 0;
    return count() > 1;
  }
  ThreadId first() const {
    if (JOSTLE_LIKELY(words_ == 1))
      return w_[0] ? static_cast<ThreadId>(__builtin_ctzll(w_[0])) : kNoThread;
    for (std::uint32_t i = 0; i < words_; ++i)
      if (w_[i])
        return static_cast<ThreadId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(w_[i])));
    return kNoThread;
  }
  // The member that has k smaller members; k < count().
  ThreadId nth(std::uint32_t k) const {
    if (JOSTLE_LIKELY(words_ == 1)) {
      std::uint64_t w = w_[0];
      while (k--) w &= w - 1;
      return static_cast<ThreadId>(__builtin_ctzll(w));
    }
    for (std::uint32_t i = 0; i < words_; ++i) {
      const auto here = static_cast<std::uint32_t>(__builtin_popcountll(w_[i]));
      if (k >= here) {
        k -= here;
        continue;
      }
      std::uint64_t w = w_[i];
      while (k--) w &= w - 1;
      return static_cast<ThreadId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(w)));
    }
    return kNoThread;
  }
  // How many members are smaller than t.
  std::uint32_t rank(ThreadId t) const {
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < (t >> 6u) && i < words_; ++i)
      n += static_cast<std::uint32_t>(__builtin_popcountll(w_[i]));
    if ((t >> 6) < words_)
      n += static_cast<std::uint32_t>(__builtin_popcountll(w_[t >> 6] & ((1ull << (t & 63)) - 1)));
    return n;
  }

  void add_all(const ThreadSet& o) {
    grow(o.words_ * 64);
    for (std::uint32_t i = 0; i < o.words_; ++i) w_[i] |= o.w_[i];
  }
  void remove_all(const ThreadSet& o) {
    for (std::uint32_t i = 0; i < words_ && i < o.words_; ++i) w_[i] &= ~o.w_[i];
  }
  bool intersects(const ThreadSet& o) const {
    for (std::uint32_t i = 0; i < words_ && i < o.words_; ++i)
      if (w_[i] & o.w_[i]) return true;
    return false;
  }

  template <class F>
  void each(F f) const {
    if (JOSTLE_LIKELY(words_ == 1)) {
      for (std::uint64_t w = w_[0]; w; w &= w - 1) f(static_cast<ThreadId>(__builtin_ctzll(w)));
      return;
    }
    for (std::uint32_t i = 0; i < words_; ++i)
      for (std::uint64_t w = w_[i]; w; w &= w - 1)
        f(static_cast<ThreadId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(w))));
  }

 private:
  std::uint32_t words_ = 0;
  std::uint64_t w_[kWords];
};

}  // namespace jostle

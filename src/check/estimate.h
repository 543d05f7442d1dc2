// How many executions a search may take in all. Which branches there are is found out on the way,
// so that what is known of the tree says little about its size (probes as Knuth's come to a tenth
// of it and less, tried on trees that are known). What can be told is how the number of branches to
// be made develops: each execution takes one and finds others, ever fewer in the end. That is drawn
// on as it bends.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace jostle::checking {

class Estimate {
 public:
  // After each execution: how many were made, and how many branches were found so far.
  void add(std::uint64_t made, std::uint64_t found) {
    made_ = made;
    found_ = found;
    if (made < every_ * (count_ + 1)) return;
    samples_[count_++] = found;
    if (count_ == kSamples) {
      for (std::size_t i = 0; i < kSamples / 2; ++i) samples_[i] = samples_[2 * i + 1];
      count_ = kSamples / 2;
      every_ *= 2;
    }
    if (made < next_) return;
    next_ = made + made / 4;
    std::rotate(before_.begin(), before_.begin() + 1, before_.end());
    before_.back() = total();
  }
  // 0: nobody knows yet.
  double total() const {
    if (count_ < 16 || found_ < made_) return 0;
    const double t = static_cast<double>(made_), left = static_cast<double>(found_ - made_);
    const double at[] = {found_at(t / 2), found_at(t * 3 / 4), static_cast<double>(found_)};
    const double earlier = (at[1] - at[0]) / (t / 4), later = (at[2] - at[1]) / (t / 4);
    const double bend = (later - earlier) / (t / 4), now = later + bend * t / 8;
    // left + (now - 1) * more + bend / 2 * more^2 = 0
    if (bend < 0) {
      const double root = std::sqrt((now - 1) * (now - 1) - 2 * bend * left);
      return t + ((now - 1) + root) / -bend;
    }
    return now < 1 ? t + left / (1 - now) : 0;
  }
  // By what factor it has moved, up or down, since half as many executions were made: one that
  // moves much is not worth much, and one that does not may still be wrong (of 34 650, 3 400 were
  // guessed after 2 000). 0: nobody knows.
  double spread() const {
    const double now = total();
    double low = now, high = now;
    int known = 0;
    for (const double b : before_) {
      if (b == 0) continue;
      ++known;
      low = std::min(low, b);
      high = std::max(high, b);
    }
    return now > 0 && known > 0 ? high / low : 0;
  }

 private:
  double found_at(double made) const {
    const double i = made / static_cast<double>(every_) - 1;
    const auto k = static_cast<std::size_t>(std::max(i, 0.0));
    if (k + 1 >= count_) return static_cast<double>(samples_[count_ - 1]);
    const double part = std::max(i, 0.0) - static_cast<double>(k);
    return static_cast<double>(samples_[k]) * (1 - part) +
           static_cast<double>(samples_[k + 1]) * part;
  }

  static constexpr std::size_t kSamples = 64;
  std::array<std::uint64_t, kSamples> samples_{};  // what was found after each `every_` executions
  std::size_t count_ = 0;
  std::uint64_t every_ = 1, made_ = 0, found_ = 0, next_ = 64;
  std::array<double, 3> before_{};
};

}  // namespace jostle::checking

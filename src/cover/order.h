// What must come before what, closed under transitivity, while more is added. Points are the steps
// of threads, so it is enough to know, for each point and each thread, the first point of that
// thread which comes after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jostle::covering {

struct Point {
  std::uint32_t thread = 0, position = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

class Order {
 public:
  // `lengths`: how many points each thread has; they follow each other.
  explicit Order(const std::vector<std::uint32_t>& lengths) : threads_(lengths.size()) {
    std::size_t total = 0;
    for (const std::uint32_t n : lengths) {
      base_.push_back(total);
      total += n;
    }
    after_.assign(total * threads_, kNever);
  }

  bool before(Point a, Point b) const {
    return a.thread == b.thread ? a.position < b.position : after(a, b.thread) <= b.position;
  }

  // a before b. False if that contradicts what is there.
  bool add(Point a, Point b) {
    if (a == b || before(b, a)) return false;
    if (before(a, b)) return true;
    for (std::uint32_t u = 0; u < threads_; ++u) {
      // The last point of u that is a or comes before it.
      std::uint32_t end = a.position + 1;
      if (u != a.thread) {
        std::size_t low = 0, high = size(u);
        while (low < high) {
          const std::size_t middle = (low + high) / 2;
          if (after({u, static_cast<std::uint32_t>(middle)}, a.thread) <= a.position)
            low = middle + 1;
          else
            high = middle;
        }
        end = static_cast<std::uint32_t>(low);
      }
      if (end == 0) continue;
      for (std::uint32_t v = 0; v < threads_; ++v) {
        if (v == u) continue;
        const std::uint32_t first = v == b.thread ? b.position : after(b, v);
        for (std::uint32_t p = end; p-- > 0 && after({u, p}, v) > first;) after({u, p}, v) = first;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNever = ~0u;
  std::size_t size(std::uint32_t t) const {
    return (t + 1 < base_.size() ? base_[t + 1] : after_.size() / threads_) - base_[t];
  }
  std::uint32_t after(Point a, std::uint32_t thread) const {
    return after_[(base_[a.thread] + a.position) * threads_ + thread];
  }
  std::uint32_t& after(Point a, std::uint32_t thread) {
    return after_[(base_[a.thread] + a.position) * threads_ + thread];
  }

  std::size_t threads_;
  std::vector<std::size_t> base_;     // of each thread, in points
  std::vector<std::uint32_t> after_;  // by point and thread
};

}  // namespace jostle::covering

#include "benchmarks/workload/workload.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace jostle_bench {
namespace {

// Of this file alone: what std templates make of it is compiled with this file's flags, and not
// shared with code that is compiled otherwise.
struct Number {
  std::uint32_t value = 0;
  friend bool operator<(Number a, Number b) { return a.value < b.value; }
  friend bool operator==(Number a, Number b) { return a.value == b.value; }
};
struct Hash {
  std::size_t operator()(Number n) const { return n.value * 0x9e3779b97f4a7c15ull >> 20; }
};

std::uint32_t next(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

std::vector<Number> numbers(std::size_t n) {
  std::vector<Number> v(n);
  std::uint32_t state = 1;
  for (Number& x : v) x.value = next(state);
  return v;
}

void check(bool good) {
  if (!good) std::abort();
}

// A second thread is alive all the time: what is cheap for a single one does not count.
class Bystander {
 public:
  Bystander()
      : thread_([this] {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [this] { return done_; });
        }) {}
  ~Bystander() {
    {
      std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

void library_sort() {
  Bystander bystander;
  std::vector<Number> v = numbers(1'000'000);
  std::sort(v.begin(), v.end());
  check(v.front() < v.back());
}

void merge_sort(Number* v, Number* spare, std::size_t n) {
  if (n < 2) return;
  const std::size_t half = n / 2;
  merge_sort(v, spare, half);
  merge_sort(v + half, spare, n - half);
  for (std::size_t i = 0; i < n; ++i) spare[i] = v[i];
  std::size_t a = 0, b = half;
  for (std::size_t i = 0; i < n; ++i)
    v[i] = b == n || (a < half && !(spare[b] < spare[a])) ? spare[a++] : spare[b++];
}

void own_sort() {
  Bystander bystander;
  std::vector<Number> v = numbers(1'000'000), spare(v.size());
  merge_sort(v.data(), spare.data(), v.size());
  check(v.front() < v.back());
}

void library_map() {
  Bystander bystander;
  std::unordered_map<Number, std::uint32_t, Hash> map;
  std::uint32_t state = 1, sum = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const Number key{next(state) % 100'000};
    if (i % 4 == 0)
      map.erase(key);
    else
      sum += ++map[key];
  }
  check(sum > 0);
}

void own_map() {
  Bystander bystander;
  constexpr std::uint32_t kSlots = 1u << 18;
  struct Slot {
    Number key;
    std::uint32_t count = 0;  // 0: free
  };
  std::vector<Slot> table(kSlots);
  std::uint32_t state = 1, sum = 0;
  for (int i = 0; i < 4'000'000; ++i) {
    const Number key{next(state) % 100'000};
    std::size_t at = Hash()(key) % kSlots;
    while (table[at].count > 0 && !(table[at].key == key)) at = (at + 1) % kSlots;
    table[at].key = key;
    sum += ++table[at].count;
  }
  check(sum > 0);
}

}  // namespace

const Workload kWorkload[kWorkloads] = {
    {"std-sort", "std::sort of 1 000 000 numbers", &library_sort},
    {"merge-sort", "own merge sort of 1 000 000 numbers", &own_sort},
    {"std-map", "1 000 000 operations on a std::unordered_map", &library_map},
    {"own-map", "4 000 000 operations on an open-addressing table", &own_map},
};

}  // namespace jostle_bench

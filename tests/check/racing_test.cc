// Programs with data races, made at random: each access has a place of its own in the code, and
// every place that races has to become a scheduling point before check() may call itself complete.
// Compared with an enumeration of all interleavings of all accesses.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <jostle/jostle.hpp>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kPlaces = 24;
constexpr int kBytes = 16;  // two cells of the race detector

struct Op {
  enum What { load, store, lock, unlock } what;
  int at = 0, size = 0;    // bytes
  unsigned char with = 0;  // store: into each byte
};
struct Program {
  std::vector<std::vector<Op>> threads;
};

struct Random {
  std::uint64_t state;
  unsigned operator()(unsigned n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33) % n;
  }
};

Program make(std::uint64_t seed) {
  Random random{seed * 0x9e3779b97f4a7c15u};
  Program p;
  const unsigned threads = 2 + (random(4) == 0);
  unsigned char next = 1;
  for (unsigned t = 0; t < threads; ++t) {
    std::vector<Op>& ops = p.threads.emplace_back();
    const unsigned count = threads == 2 ? 2 + random(4) : 1 + random(3);
    const bool locks = random(3) == 0;
    const unsigned from = random(count), to = from + random(count - from) + 1;
    const int where = static_cast<int>(random(3)) * 4;
    for (unsigned i = 0; i < count; ++i) {
      if (locks && i == from) ops.push_back({Op::lock});
      Op op{random(2) ? Op::store : Op::load};
      op.size = std::array{1, 4, 4, 8}[random(4)];
      const int from_byte = random(2) ? where : static_cast<int>(random(kBytes));
      op.at = from_byte / op.size * op.size;
      if (op.what == Op::store) op.with = next++;
      ops.push_back(op);
      if (locks && i + 1 == to) ops.push_back({Op::unlock});
    }
  }
  return p;
}

std::string to_text(const Program& p) {
  std::string out;
  for (const auto& ops : p.threads) {
    for (const Op& o : ops)
      out += o.what == Op::lock ? "lock  "
             : o.what == Op::unlock
                 ? "unlock  "
                 : std::string(o.what == Op::load ? "load " : "store ") + std::to_string(o.at) +
                       "+" + std::to_string(o.size) + "  ";
    out += "\n";
  }
  return out;
}

// --- by brute force ---------------------------------------------------------------------------

struct State {
  std::vector<unsigned> next;
  int holder = -1;
  std::array<unsigned char, kBytes> memory{};
  std::vector<std::string> seen;

  std::string final() const {
    std::string s(memory.begin(), memory.end());
    for (const std::string& one : seen) s += one + "|";
    return s;
  }
};

void walk(const Program& p, const State& s, std::set<std::string>& been,
          std::set<std::string>& finals) {
  std::string key = s.final();
  for (const unsigned n : s.next) key += static_cast<char>('0' + n);
  if (!been.insert(key + std::to_string(s.holder)).second) return;
  bool over = true;
  for (std::size_t t = 0; t < p.threads.size(); ++t) {
    if (s.next[t] == p.threads[t].size()) continue;
    over = false;
    const Op& o = p.threads[t][s.next[t]];
    if (o.what == Op::lock && s.holder >= 0) continue;
    State n = s;
    ++n.next[t];
    const auto at = n.memory.begin() + o.at;
    if (o.what == Op::lock) n.holder = static_cast<int>(t);
    if (o.what == Op::unlock) n.holder = -1;
    if (o.what == Op::store) std::fill(at, at + o.size, o.with);
    if (o.what == Op::load) n.seen[t].append(at, at + o.size);
    walk(p, n, been, finals);
  }
  if (over) finals.insert(s.final());
}

std::set<std::string> enumerate(const Program& p) {
  State s;
  s.next.resize(p.threads.size());
  s.seen.resize(p.threads.size());
  std::set<std::string> been, finals;
  walk(p, s, been, finals);
  return finals;
}

// --- for real -----------------------------------------------------------------------------------

alignas(8) unsigned char g_memory[kBytes];

// Code of its own for each place: the compiler would make one of what is equal.
template <int kPlace, class T>
[[gnu::noinline]] void access(const Op& o, std::string& seen) {
  asm volatile("# place %0" ::"i"(kPlace));
  auto* p = reinterpret_cast<volatile T*>(g_memory + o.at);
  T value;
  if (o.what == Op::store) {
    std::memset(&value, o.with, sizeof value);
    *p = value;
    return;
  }
  value = *p;
  seen.append(reinterpret_cast<const char*>(&value), sizeof value);
}

using Access = void (*)(const Op&, std::string&);
template <class T, int... kPlace>
constexpr std::array<Access, sizeof...(kPlace)> places(std::integer_sequence<int, kPlace...>) {
  return {&access<kPlace, T>...};
}
constexpr auto kBytewise = places<unsigned char>(std::make_integer_sequence<int, kPlaces>());
constexpr auto kWordwise = places<std::uint32_t>(std::make_integer_sequence<int, kPlaces>());
constexpr auto kWhole = places<std::uint64_t>(std::make_integer_sequence<int, kPlaces>());

void execute(const Program& p, std::set<std::string>& finals) {
  std::memset(g_memory, 0, sizeof g_memory);
  std::mutex m;
  State s;
  s.seen.resize(p.threads.size());
  for (std::string& seen : s.seen) seen.reserve(64);
  std::vector<std::thread> threads;
  std::size_t place = 0;
  for (std::size_t t = 0; t < p.threads.size(); ++t) {
    threads.emplace_back([&, t, place] {
      std::size_t here = place;
      for (const Op& o : p.threads[t]) {
        if (o.what == Op::lock) m.lock();
        if (o.what == Op::unlock) m.unlock();
        if (o.size)
          (o.size == 1 ? kBytewise : o.size == 4 ? kWordwise : kWhole)[here](o, s.seen[t]);
        ++here;
      }
    });
    place += p.threads[t].size();
  }
  for (std::thread& t : threads) t.join();
  std::memcpy(s.memory.data(), g_memory, kBytes);
  finals.insert(s.final());
}

struct Checked {
  jostle::Result result;
  std::set<std::string> finals;
};
Checked check(const Program& p, jostle::Options o) {
  Checked c;
  o.keep_going = true;
  o.minimize = false;
  o.quiet = true;
  o.output = testing::TempDir() + "/jostle-racing";
  c.result = jostle::check([&] { execute(p, c.finals); }, o);
  return c;
}

TEST(Racing, EveryPlaceThatRacesIsFound) {
  std::uint64_t executions = 0, ends = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program p = make(seed);
    const std::set<std::string> expected = enumerate(p);
    jostle::Options o;
    o.seed = seed;
    if (seed % 3 == 1) o.priority = "rand";
    const Checked racing = check(p, o);
    EXPECT_EQ(racing.result.error, "");
    EXPECT_TRUE(racing.result.complete) << racing.result.report;
    EXPECT_EQ(racing.finals.size(), expected.size()) << "seed " << seed << "\n" << to_text(p);
    EXPECT_EQ(racing.finals, expected) << "seed " << seed << "\n" << to_text(p);
    // Where every access is a point, it comes to the same: what is no race has one order only.
    o.preempt = jostle::Options::Preempt::all;
    const Checked all = check(p, o);
    EXPECT_TRUE(all.result.complete) << all.result.report;
    EXPECT_EQ(all.finals, expected) << "seed " << seed << "\n" << to_text(p);
    EXPECT_EQ(all.result.executions, racing.result.executions) << "seed " << seed << "\n"
                                                               << to_text(p);
    executions += racing.result.executions;
    ends += expected.size();
  }
  std::printf("%llu executions, %llu ends\n", static_cast<unsigned long long>(executions),
              static_cast<unsigned long long>(ends));
}

}  // namespace

// strategy=dfs from end to end: as many executions as an enumeration written here finds
// interleavings, and the same set of final states.
//
// A program is data. The model below executes it in all ways; the body executes it with real
// threads, mutexes and atomics. A step is what lies between two scheduling points: one operation
// and everything local after it. The start of a thread is a step of its own, its end is not.
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

enum class Do { create, join, add, load, store, cas, lock, unlock, point };

struct Step {
  Do what;
  int object = 0;  // thread, variable or mutex
  int value = 0;   // add: how much; cas: expected, value + 1 is desired
};
using Code = std::vector<Step>;
using Program = std::vector<Code>;  // thread 0 is the body

constexpr int kVariables = 3, kMutexes = 2;
using Final = std::array<int, kVariables>;

// --- the model -----------------------------------------------------------------------------

struct State {
  struct Thread {
    bool born = false, started = false, done = false;
    std::size_t at = 0;
    int reg = 0;
  };
  std::vector<Thread> threads;
  Final variables{};
  std::array<int, kMutexes> owner{};

  explicit State(const Program& p) : threads(p.size()) {
    owner.fill(-1);
    threads[0].born = threads[0].started = true;
    settle(p, 0);
  }
  void settle(const Program& p, std::size_t t) {
    if (threads[t].started && threads[t].at == p[t].size()) threads[t].done = true;
  }
  bool enabled(const Program& p, std::size_t t) const {
    const Thread& th = threads[t];
    if (!th.born || th.done) return false;
    if (!th.started) return true;
    const Step& s = p[t][th.at];
    if (s.what == Do::join) return threads[static_cast<std::size_t>(s.object)].done;
    if (s.what == Do::lock) return owner[static_cast<std::size_t>(s.object)] == -1;
    return true;
  }
  void step(const Program& p, std::size_t t) {
    Thread& th = threads[t];
    if (!th.started) {
      th.started = true;
      settle(p, t);
      return;
    }
    const Step& s = p[t][th.at++];
    const auto o = static_cast<std::size_t>(s.object);
    switch (s.what) {
      case Do::create:
        threads[o].born = true;
        break;
      case Do::add:
        variables[o] += s.value;
        break;
      case Do::load:
        th.reg = variables[o];
        break;
      case Do::store:
        variables[o] = th.reg + s.value;
        break;
      case Do::cas:
        if (variables[o] == s.value) ++variables[o];
        break;
      case Do::lock:
        owner[o] = static_cast<int>(t);
        break;
      case Do::unlock:
        owner[o] = -1;
        break;
      case Do::join:
      case Do::point:
        break;
    }
    settle(p, t);
  }
};

struct Expected {
  std::uint64_t executions = 0, deadlocks = 0;
  std::set<Final> finals;
};

void enumerate(const Program& p, const State& s, Expected& out) {
  bool any = false, live = false;
  for (std::size_t t = 0; t < p.size(); ++t) {
    live |= s.threads[t].born && !s.threads[t].done;
    if (!s.enabled(p, t)) continue;
    any = true;
    State next = s;
    next.step(p, t);
    enumerate(p, next, out);
  }
  if (any) return;
  ++out.executions;
  if (live)
    ++out.deadlocks;
  else
    out.finals.insert(s.variables);
}

Expected enumerate(const Program& p) {
  Expected e;
  enumerate(p, State(p), e);
  return e;
}

// --- the real thing --------------------------------------------------------------------------

struct World {
  const Program& program;
  std::array<std::atomic<int>, kVariables> variables{};
  std::array<std::mutex, kMutexes> mutexes;
  std::vector<std::thread> threads;
  explicit World(const Program& p) : program(p), threads(p.size()) {}
};

void interpret(World& w, std::size_t t) {
  int reg = 0;
  for (const Step& s : w.program[t]) {
    const auto o = static_cast<std::size_t>(s.object);
    switch (s.what) {
      case Do::create:
        w.threads[o] = std::thread([&w, o] { interpret(w, o); });
        break;
      case Do::join:
        w.threads[o].join();
        break;
      case Do::add:
        w.variables[o].fetch_add(s.value);
        break;
      case Do::load:
        reg = w.variables[o].load();
        break;
      case Do::store:
        w.variables[o].store(reg + s.value);
        break;
      case Do::cas: {
        int expected = s.value;
        w.variables[o].compare_exchange_strong(expected, s.value + 1);
        break;
      }
      case Do::lock:
        w.mutexes[o].lock();
        break;
      case Do::unlock:
        w.mutexes[o].unlock();
        break;
      case Do::point:
        jostle_point();
        break;
    }
  }
}

struct Explored {
  jostle::Result result;
  std::set<Final> finals;
};

Explored explore(const Program& p) {
  Explored out;
  jostle::Options o = quick();
  o.executions = 2'000'000;
  o.strategy = "dfs";
  o.preempt = jostle::Options::Preempt::sync;
  o.keep_going = true;
  out.result = jostle::run(
      [&] {
        World w(p);
        interpret(w, 0);
        Final f;
        for (std::size_t i = 0; i < f.size(); ++i) f[i] = w.variables[i].load();
        out.finals.insert(f);
      },
      o);
  return out;
}

void compare(const Program& p, std::uint64_t known = 0) {
  const Expected want = enumerate(p);
  if (known) EXPECT_EQ(want.executions, known) << "the enumeration itself is wrong";
  const Explored got = explore(p);
  EXPECT_EQ(got.result.executions, want.executions);
  EXPECT_EQ(got.finals, want.finals);
  if (want.deadlocks == 0) {
    EXPECT_PASSES(got.result);
    EXPECT_TRUE(got.result.complete);
    EXPECT_NE(got.result.guarantee.find(std::to_string(want.executions) + " executed"),
              std::string::npos)
        << got.result.guarantee;
  } else {
    EXPECT_FINDS(got.result, "deadlock");
    EXPECT_FALSE(got.result.complete);
    EXPECT_EQ(got.result.guarantee, "");
  }
}

// Thread 0 creates all others, then joins them in order.
Program fan_out(const std::vector<Code>& others) {
  Program p(1);
  for (std::size_t i = 0; i < others.size(); ++i)
    p[0].push_back({Do::create, static_cast<int>(i + 1)});
  for (std::size_t i = 0; i < others.size(); ++i)
    p[0].push_back({Do::join, static_cast<int>(i + 1)});
  p.insert(p.end(), others.begin(), others.end());
  return p;
}

TEST(Dfs, NothingToChoose) { compare(Program(1), 1); }

// create; then start of the thread, which is also its end; then join: no choice at all.
TEST(Dfs, OneEmptyThread) { compare(fan_out({{}}), 1); }

TEST(Dfs, TwoThreadsWithAnIncrementEach) {
  // The body's second create and the first thread's two steps interleave freely: worked out by
  // the enumeration, and by hand for the smaller case of one thread: 1.
  compare(fan_out({{{Do::add, 0, 1}}}), 1);
  compare(fan_out({{{Do::add, 0, 1}}, {{Do::add, 0, 2}}}));
}

TEST(Dfs, ThreeThreadsWithAnIncrementEach) {
  compare(fan_out({{{Do::add, 0, 1}}, {{Do::add, 0, 2}}, {{Do::add, 0, 4}}}));
}

TEST(Dfs, BodyAgainstOneThread) {
  // After the create, `start` and k points of the thread against k points of the body, the
  // join last: C(2k+1, k) interleavings.
  std::uint64_t binomial[] = {1, 3, 10, 35, 126};
  for (int k = 0; k <= 4; ++k) {
    Program p(2);
    p[0].push_back({Do::create, 1});
    for (int i = 0; i < k; ++i) {
      p[0].push_back({Do::point});
      p[1].push_back({Do::point});
    }
    p[0].push_back({Do::join, 1});
    compare(p, binomial[k]);
  }
}

TEST(Dfs, LostUpdates) {
  const Code increment = {{Do::load, 0}, {Do::store, 0, 1}};
  const Program p = fan_out({increment, increment});
  const Expected e = enumerate(p);
  EXPECT_EQ(e.finals, (std::set<Final>{{1, 0, 0}, {2, 0, 0}}));
  compare(p);
}

TEST(Dfs, Locks) {
  const Code locked = {{Do::lock, 0}, {Do::load, 0}, {Do::store, 0, 1}, {Do::unlock, 0}};
  const Program p = fan_out({locked, locked});
  EXPECT_EQ(enumerate(p).finals, (std::set<Final>{{2, 0, 0}}));
  compare(p);
}

TEST(Dfs, DeadlocksAreCounted) {
  compare(fan_out({{{Do::lock, 0}, {Do::lock, 1}, {Do::unlock, 1}, {Do::unlock, 0}},
                   {{Do::lock, 1}, {Do::lock, 0}, {Do::unlock, 0}, {Do::unlock, 1}}}));
}

TEST(Dfs, CompareExchangeRotation) {
  compare(fan_out({{{Do::cas, 0, 0}}, {{Do::cas, 0, 1}}, {{Do::cas, 0, 2}}}));
}

TEST(Dfs, ThreadsThatCreateThreads) {
  Program p(4);
  p[0] = {{Do::create, 1}, {Do::add, 0, 1}, {Do::join, 1}};
  p[1] = {{Do::create, 2}, {Do::create, 3}, {Do::join, 2}, {Do::join, 3}};
  p[2] = {{Do::load, 0}, {Do::store, 1, 1}};
  p[3] = {{Do::load, 1}, {Do::store, 0, 1}};
  compare(p);
}

// Programs drawn at random (fixed seed): whatever they do, the counts must agree.
TEST(Dfs, RandomPrograms) {
  std::uint64_t state = 12345;
  auto draw = [&](int n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
  };
  int compared = 0;
  while (compared < 40) {
    std::vector<Code> others(static_cast<std::size_t>(1 + draw(3)));
    for (Code& c : others)
      for (int i = draw(4); i > 0; --i) {
        const int x = draw(kVariables), m = draw(kMutexes);
        switch (draw(5)) {
          case 0:
            c.push_back({Do::add, x, 1 + draw(3)});
            break;
          case 1:
            c.insert(c.end(), {{Do::load, x}, {Do::store, draw(kVariables), 1}});
            break;
          case 2:
            c.insert(c.end(), {{Do::lock, m}, {Do::add, x, 5}, {Do::unlock, m}});
            break;
          case 3:
            c.push_back({Do::point});
            break;
          case 4:
            c.insert(c.end(), {{Do::lock, 0}, {Do::lock, 1}, {Do::unlock, 1}, {Do::unlock, 0}});
            break;
        }
      }
    const Program p = fan_out(others);
    // Only what is quick to enumerate twice.
    std::size_t steps = 0;
    for (const Code& c : others) steps += c.size() + 1;
    if (steps > 9) continue;
    const Expected e = enumerate(p);
    if (e.executions > (on_kernel_threads() ? 300u : 20'000u) || e.executions < 2) continue;
    SCOPED_TRACE("random program " + std::to_string(compared) + ", " +
                 std::to_string(e.executions) + " executions");
    compare(p);
    ++compared;
  }
}

TEST(Dfs, CutSearchPromisesNothing) {
  const Program p = fan_out({{{Do::add, 0, 1}}, {{Do::add, 0, 1}}});
  const std::uint64_t all = enumerate(p).executions;
  auto o = quick();
  o.strategy = "dfs";
  o.executions = all - 1;
  auto body = [&] {
    World w(p);
    interpret(w, 0);
  };
  const auto cut = jostle::run(body, o);
  EXPECT_EQ(cut.executions, all - 1);
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.guarantee, "");
  o.executions = all;
  const auto whole = jostle::run(body, o);
  EXPECT_EQ(whole.executions, all);
  EXPECT_TRUE(whole.complete) << "the last allowed execution was the last there is";
}

// Reading the same value several times is not spinning: a search that calls itself complete has
// to show every outcome.
TEST(Dfs, RepeatedReadsLoseNoOutcome) {
  std::set<std::pair<int, int>> seen;
  auto o = quick();
  o.executions = 1'000'000;
  o.strategy = "dfs";
  o.preempt = jostle::Options::Preempt::sync;
  const auto r = jostle::run(
      [&] {
        std::atomic<int> x{0}, y{0};
        int first = 0, second = 0;
        std::thread reader([&] {
          first = y.load();
          second = y.load();
        });
        for (int i = 0; i < 5; ++i) (void)x.load();
        y.store(1);
        reader.join();
        seen.insert({first, second});
      },
      o);
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 1}}));
}

[[gnu::noinline]] int bump(int* n) { return ++*n; }

// The same with a loop whose counter is neither in a register nor on the stack.
TEST(Dfs, RepeatedReadsWithACounterOnTheHeap) {
  std::set<std::pair<int, int>> seen;
  auto o = quick();
  o.executions = 1'000'000;
  o.strategy = "dfs";
  o.preempt = jostle::Options::Preempt::sync;
  const auto r = jostle::run(
      [&] {
        std::atomic<int> x{0}, y{0};
        int first = 0, second = 0;
        std::thread reader([&] {
          first = y.load();
          second = y.load();
        });
        auto* count = new int(0);
        while (x.load() == 0)
          if (bump(count) == 5) break;
        delete count;
        y.store(1);
        reader.join();
        seen.insert({first, second});
      },
      o);
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 1}}));
}

}  // namespace

// What threads are known to do, and orders that follow from it.
#include "cover/planner.h"

#include <gtest/gtest.h>

#include "cover/behaviour.h"
#include "cover/example.h"

namespace jostle::covering {
namespace {

constexpr std::uint64_t pc(char c) { return static_cast<std::uint64_t>(c); }

std::string letters(const std::vector<Turn>& turns) {
  std::string s;
  for (const Turn& t : turns)
    if (t.site != kCreates) s += static_cast<char>(pc_of(t.site));
  return s;
}

// T2 does C if it reads 0, D if it reads 1. Both were seen; a plan knows which order leads where.
TEST(Planner, KnowsWhereAReadLeads) {
  const std::vector<AccessRecord> late = {
      {1, 1, 0, Did::fork},          {1, 2, 0, Did::fork},
      {pc('A'), 'x', 1, Did::write}, {pc('R'), 'x', 2, Did::read, false, 1},
      {pc('D'), 'y', 2, Did::write}, {pc('B'), 'y', 1, Did::write}};
  const std::vector<AccessRecord> early = {
      {1, 1, 0, Did::fork},          {1, 2, 0, Did::fork},          {pc('R'), 'x', 2, Did::read},
      {pc('C'), 'y', 2, Did::write}, {pc('A'), 'x', 1, Did::write}, {pc('B'), 'y', 1, Did::write}};
  Behaviour b;
  for (const auto* r : {&late, &early}) b.add(*r, {'x', 'y'});
  Planner planner(b, {});
  Rng rng;
  rng.seed(1);
  for (const char last : {'C', 'D'}) {
    // All is known but B=>C, or B=>D.
    const Item wanted{Idiom::one, {at('B', Did::write), at(last, Did::write)}};
    const auto worth = [&](std::uint64_t hash) { return hash == wanted.hash() ? 1.0 : 0.0; };
    const Planned p = planner.plan(worth, 0, 50, 100, 20, rng);
    EXPECT_EQ(p.worth, 1) << last;
    const std::string s = letters(p.turns);
    EXPECT_EQ(s.find('R') < s.find('A'), last == 'C') << s;
    EXPECT_LT(s.find('B'), s.find(last)) << s;
  }
}

// The node after so many operations of the thread, each time by the first way.
const Behaviour::Node& node_of(const Behaviour& b, ThreadId t, int operations) {
  std::uint32_t n = b.first_of(t);
  while (operations-- > 0) n = b.node(n).ways.front().next;
  return b.node(n);
}

// A thread that looks twice at the same place goes on as it did the other time.
TEST(Behaviour, GuessesByTheValueReadAtThePlace) {
  const auto looks = [](std::uint64_t first, std::uint64_t second) {
    std::vector<AccessRecord> r = {{1, 1, 0, Did::fork}};
    for (const std::uint64_t v : {first, second}) {
      r.push_back({pc('R'), 'x', 1, Did::read, false, v});
      r.push_back({pc(v > 4 ? 'B' : 'A'), 'y', 1, Did::write});
    }
    return r;
  };
  Behaviour b;
  b.add(looks(1, 7), {'x', 'y'});
  const Behaviour::Node& first = node_of(b, 1, 0);
  ASSERT_EQ(first.ways.size(), 1u);  // 7 was not read there, but at the second look
  for (const std::uint64_t value : {7, 6, 2}) {
    const Behaviour::Guess g = b.guess(1, first, value, {});
    ASSERT_TRUE(g.way);
    EXPECT_EQ(b.node(g.way->next).site, at(value > 4 ? 'B' : 'A', Did::write)) << value;
    EXPECT_GT(g.sure, 0);
  }
  EXPECT_FALSE(b.guess(0, first, 7, {}).way);  // another thread
}

TEST(Behaviour, LearnsWhatWritesAdd) {
  const auto counts = [](std::uint64_t from) {
    return std::vector<AccessRecord>{{1, 1, 0, Did::fork},
                                     {pc('R'), 'x', 1, Did::read, false, from},
                                     {pc('W'), 'x', 1, Did::write},
                                     {pc('S'), 'x', 0, Did::read, false, from + 3}};
  };
  Behaviour b;
  std::uint64_t delta = 0;
  b.add(counts(1), {'x'});
  EXPECT_FALSE(b.adds(at('W', Did::write), delta));  // once may be chance
  b.add(counts(5), {'x'});
  ASSERT_TRUE(b.adds(at('W', Did::write), delta));
  EXPECT_EQ(delta, 3u);
  std::vector<AccessRecord> other = counts(7);
  other.back().value = 1;
  b.add(other, {'x'});
  EXPECT_FALSE(b.adds(at('W', Did::write), delta));
}

// It is one operation, whichever becomes of it: what is known of one way stays known.
TEST(Behaviour, KeepsBothWaysOfACompareExchange) {
  const auto tries = [](bool succeeds) {
    return std::vector<AccessRecord>{
        {1, 1, 0, Did::fork},
        {pc('C'), 'x', 1, succeeds ? Did::write : Did::read, succeeds, succeeds ? 0ull : 1ull},
        {pc(succeeds ? 'A' : 'B'), 'y', 1, Did::write}};
  };
  Behaviour b;
  for (const bool succeeds : {true, false, true}) b.add(tries(succeeds), {'x', 'y'});
  const Behaviour::Node& n = node_of(b, 1, 0);
  EXPECT_TRUE(n.mixed);
  ASSERT_EQ(n.ways.size(), 2u);
  EXPECT_EQ(n.ways[0].did, Did::write);
  EXPECT_EQ(b.node(n.ways[0].next).site, at('A', Did::write));
  EXPECT_EQ(n.ways[1].did, Did::read);
  EXPECT_EQ(b.node(n.ways[1].next).site, at('B', Did::write));
}

// T1 looks until it sees 1, but nobody is known to write that: orders end all the same.
TEST(Planner, EndsWhereThreadsGoInCircles) {
  std::vector<AccessRecord> r = {{1, 1, 0, Did::fork}};
  for (const std::uint64_t value : {0, 0, 1})
    r.push_back({pc('R'), 'x', 1, Did::read, false, value});
  Behaviour b;
  b.add(r, {'x'});
  Planner planner(b, {});
  Rng rng;
  rng.seed(1);
  const Planned p = planner.plan([](std::uint64_t) { return 1.0; }, 1, 50, 20, 12, rng);
  EXPECT_EQ(letters(p.turns), "RRRRRRRRRRRR");
}

}  // namespace
}  // namespace jostle::covering

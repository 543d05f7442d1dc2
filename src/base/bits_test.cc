#include "base/bits.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/rng.h"

namespace jostle {
namespace {

std::vector<ThreadId> members(const ThreadSet& s) {
  std::vector<ThreadId> out;
  s.each([&](ThreadId t) { out.push_back(t); });
  return out;
}

ThreadSet set_of(std::initializer_list<int> ids) {
  ThreadSet s;
  s.reset();
  for (const int i : ids) s.add(static_cast<ThreadId>(i));
  return s;
}

TEST(ThreadSet, Empty) {
  ThreadSet s;
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.count(), 0u);
  EXPECT_EQ(s.first(), kNoThread);
  EXPECT_FALSE(s.has(0));
  EXPECT_FALSE(s.only(0));
  EXPECT_FALSE(s.at_least_two());
  s.remove(5);
  EXPECT_TRUE(s.empty());
}

TEST(ThreadSet, NthAndRankAreInverse) {
  const ThreadSet s = set_of({3, 7, 63, 64, 65, 127, 128, 1000, 1023});
  EXPECT_EQ(s.count(), 9u);
  for (std::uint32_t k = 0; k < s.count(); ++k) EXPECT_EQ(s.rank(s.nth(k)), k);
  EXPECT_EQ(s.nth(0), s.first());
  EXPECT_EQ(s.nth(8), 1023);
  EXPECT_EQ(s.nth(9), kNoThread);
  EXPECT_EQ(s.rank(0), 0u);
  EXPECT_EQ(s.rank(64), 3u) << "members below one that is in the second word";
  EXPECT_EQ(s.rank(66), 5u) << "of one that is no member";
}

TEST(ThreadSet, Only) {
  EXPECT_TRUE(set_of({0}).only(0));
  EXPECT_FALSE(set_of({0}).only(1));
  EXPECT_FALSE(set_of({0, 1}).only(0));
  EXPECT_TRUE(set_of({63}).only(63));
  EXPECT_TRUE(set_of({64}).only(64));
  EXPECT_TRUE(set_of({900}).only(900));
  EXPECT_FALSE(set_of({0, 900}).only(900));
  EXPECT_FALSE(set_of({0, 900}).only(0));
}

// Thread 64 is bit 0 of the second word, which a set of one word does not have.
TEST(ThreadSet, HasNoThreadBeyondTheWordsInUse) {
  EXPECT_FALSE(set_of({0}).has(64));
  EXPECT_FALSE(set_of({5}).has(64 + 5));
  EXPECT_EQ(set_of({5}).rank(64 + 5), 1u);
}

TEST(ThreadSet, AtLeastTwo) {
  EXPECT_FALSE(set_of({5}).at_least_two());
  EXPECT_TRUE(set_of({5, 6}).at_least_two());
  EXPECT_FALSE(set_of({500}).at_least_two());
  EXPECT_TRUE(set_of({5, 500}).at_least_two());
}

TEST(ThreadSet, ResetForgets) {
  ThreadSet s = set_of({1, 70, 500});
  s.reset();
  EXPECT_TRUE(s.empty());
  s.add(600);  // the words between must not come back
  EXPECT_EQ(members(s), std::vector<ThreadId>{600});
}

TEST(ThreadSet, UnionDifferenceIntersection) {
  ThreadSet a = set_of({1, 2});
  const ThreadSet b = set_of({2, 300});
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(set_of({1}).intersects(b));
  EXPECT_FALSE(set_of({300}).intersects(set_of({1})));
  a.add_all(b);
  EXPECT_EQ(members(a), (std::vector<ThreadId>{1, 2, 300}));
  a.remove_all(b);
  EXPECT_EQ(members(a), std::vector<ThreadId>{1});
}

// Against std::set, with operations drawn at random.
TEST(ThreadSet, BehavesLikeASet) {
  Rng rng(1);
  for (const std::uint32_t limit : {10u, 64u, 65u, 200u, kMaxThreads}) {
    ThreadSet s;
    s.reset();
    std::set<ThreadId> reference;
    for (int i = 0; i < 2000; ++i) {
      const auto t = static_cast<ThreadId>(rng.below(limit));
      if (rng.chance(1, 2)) {
        s.add(t);
        reference.insert(t);
      } else {
        s.remove(t);
        reference.erase(t);
      }
      ASSERT_EQ(s.count(), reference.size());
      ASSERT_EQ(s.empty(), reference.empty());
      ASSERT_EQ(s.at_least_two(), reference.size() > 1);
      ASSERT_EQ(s.first(), reference.empty() ? kNoThread : *reference.begin());
      const auto q = static_cast<ThreadId>(rng.below(limit));
      ASSERT_EQ(s.has(q), reference.count(q) == 1);
      ASSERT_EQ(s.rank(q), static_cast<std::uint32_t>(
                               std::distance(reference.begin(), reference.lower_bound(q))));
    }
    ASSERT_EQ(members(s), std::vector<ThreadId>(reference.begin(), reference.end()));
  }
}

}  // namespace
}  // namespace jostle

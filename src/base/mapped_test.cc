#include "base/mapped.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jostle {
namespace {

TEST(MappedVector, GrowsToItsCapacity) {
  MappedVector<int> v(1000);
  EXPECT_TRUE(v.empty());
  EXPECT_EQ(v.capacity(), 1000u);
  for (int i = 0; !v.full(); ++i) v.push(i);
  EXPECT_EQ(v.size(), 1000u);
  EXPECT_EQ(v.back(), 999);
  int sum = 0;
  for (const int x : v) sum += x;
  EXPECT_EQ(sum, 999 * 1000 / 2);
  v.pop();
  EXPECT_FALSE(v.full());
  EXPECT_EQ(v.back(), 998);
}

TEST(MappedVector, ReferencesStayValid) {
  MappedVector<int> v(100'000);
  int& first = v.append();
  first = 7;
  for (int i = 1; i < 100'000; ++i) v.push(i);
  EXPECT_EQ(&first, &v[0]);
  EXPECT_EQ(v[0], 7);
}

TEST(MappedVector, StartsAsZeroes) {
  MappedVector<std::uint64_t> v(4096);
  v.resize(4096);
  for (const std::uint64_t x : v) ASSERT_EQ(x, 0u);
}

// A terabyte of addresses costs nothing until it is touched.
TEST(MappedVector, ReservesWithoutUsing) {
  MappedVector<char> v(std::size_t{1} << 40);
  v.resize(v.capacity());
  v[v.size() - 1] = 1;
  EXPECT_EQ(v[v.size() - 1], 1);
}

TEST(MappedVector, SharedIsSeenByTheParent) {
  MappedVector<int> shared(10, true), own(10);
  shared.resize(10);
  own.resize(10);
  const pid_t child = fork();
  if (child == 0) {
    shared[3] = 42;
    own[3] = 42;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(shared[3], 42);
  EXPECT_EQ(own[3], 0);
}

TEST(Arena, HandsOutAlignedPiecesInARow) {
  Arena a(1 << 20);
  auto* first = static_cast<char*>(a.allocate(1));
  auto* second = static_cast<char*>(a.allocate(17));
  auto* third = static_cast<char*>(a.allocate(16));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 16, 0u);
  EXPECT_EQ(second - first, 16);
  EXPECT_EQ(third - second, 32);
  a.reset();
  EXPECT_EQ(a.allocate(100), first);
}

TEST(ArenaDeathTest, FullIsTheEnd) {
  Arena a(4096);
  a.allocate(4096);
  EXPECT_DEATH(a.allocate(1), "");
}

}  // namespace
}  // namespace jostle

#include "cover/items.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "cover/hash_set.h"

namespace jostle::covering {
namespace {

Item item(std::uint64_t n) { return {Idiom::one, {n + 1, n * 7 + 3}}; }

TEST(Items, KeepTheOrderInWhichTheyCame) {
  Items items;
  for (std::uint64_t n = 1000; n-- > 0;) items.insert(item(n));
  for (std::uint64_t n = 0; n < 1000; ++n) items.insert(item(n));  // nothing new
  ASSERT_EQ(items.size(), 1000u);
  std::uint64_t n = 1000;
  for (const Item& i : items) EXPECT_EQ(i, item(--n));
  EXPECT_TRUE(items.contains(item(999)));
  EXPECT_FALSE(items.contains(item(1000)));
  items.clear();
  EXPECT_TRUE(items.empty());
  EXPECT_FALSE(items.contains(item(999)));
}

// What is read and what is written at one place are different items, in whatever combination.
TEST(Items, HashesTellPlacesApart) {
  std::set<std::uint64_t> hashes;
  std::size_t n = 0;
  for (std::uint64_t a = 0x401000; a < 0x401020; ++a)
    for (std::uint64_t b = 0x401000; b < 0x401020; ++b)
      for (const Did x : {Did::read, Did::write, Did::acquire, Did::release})
        for (const Did y : {Did::read, Did::write, Did::acquire, Did::release})
          for (const Idiom i : {Idiom::one, Idiom::pair}) {
            hashes.insert(Item{i, {site_key(a, x), site_key(b, y)}}.hash());
            ++n;
          }
  EXPECT_EQ(hashes.size(), n);
}

TEST(HashSet, IsEmptiedWhateverItHas) {
  HashSet set;
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    std::set<std::uint64_t> same;
    // Few: they are taken out one by one. Their places are close, so that they are in each other's
    // way.
    for (std::uint32_t n = rng.below(round % 10 == 0 ? 3000 : 60); n-- > 0;) {
      const std::uint64_t hash = 1 + rng.below(2000);
      EXPECT_EQ(set.has(hash), same.contains(hash));
      set.add(hash);
      same.insert(hash);
    }
    EXPECT_EQ(set.all().size(), same.size());
    set.clear();
    for (const std::uint64_t hash : same) ASSERT_FALSE(set.has(hash)) << round;
  }
}

}  // namespace
}  // namespace jostle::covering

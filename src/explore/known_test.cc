#include "explore/known.h"

#include <gtest/gtest.h>

namespace jostle::explore {
namespace {

Problem race(std::uint64_t pc, std::uint64_t other) {
  Problem p;
  p.kind = FindingKind::race;
  p.place.pc = pc;
  p.other.pc = other;
  return p;
}

TEST(Known, ARaceIsItsPairOfPlaces) {
  EXPECT_TRUE(same_race(race(1, 2), race(1, 2)));
  EXPECT_TRUE(same_race(race(1, 2), race(2, 1)));
  EXPECT_FALSE(same_race(race(1, 2), race(1, 3)));
  EXPECT_FALSE(same_race(race(1, 1), race(1, 2)));
  // The earlier access is known by half of its address only.
  EXPECT_TRUE(same_race(race(0x5500000001, 0x5500000002), race(0x5500000001, 2)));
}

TEST(Known, HalfAnAddressIsCompleted) {
  EXPECT_EQ(whole(0x5512345678, 0x87654321), 0x5587654321u);
  EXPECT_EQ(whole(0x5512345678, 0x7f00000001), 0x7f00000001u);
}

TEST(Known, PlacesArePromotedOnce) {
  Known k;
  EXPECT_TRUE(k.promote(1));
  EXPECT_TRUE(k.promote(2));
  EXPECT_FALSE(k.promote(1));
  EXPECT_EQ(k.promoted, (std::vector<std::uint64_t>{1, 2}));
}

TEST(Known, ThereIsRoomForSoManyPlaces) {
  Known k;
  for (std::uint64_t pc = 1; pc <= Assignment::kSites; ++pc) ASSERT_TRUE(k.promote(pc));
  EXPECT_FALSE(k.promote(1'000'000));
}

TEST(Known, AnAssignmentGetsWhatWasInForce) {
  Known k;
  k.promote(10);
  k.promote(20);
  k.races.push_back({Plan(), race(0x5500000010, 0x20), 1, Profile()});
  auto* a = static_cast<Assignment*>(map_pages(sizeof(Assignment)));
  a->deviation_count = a->segment_count = 5;
  a->record = true;
  Profile profile;
  profile.threads = 3;
  fill(*a, k, 1, profile);
  EXPECT_EQ(a->promoted_count, 1u);
  EXPECT_EQ(a->promoted[0], 10u);
  ASSERT_EQ(a->watched_count, 2u);
  EXPECT_EQ(a->watched[0], 0x5500000010u);
  EXPECT_EQ(a->watched[1], 0x5500000020u);
  EXPECT_EQ(a->profile.threads, 3u);
  EXPECT_EQ(a->deviation_count, 0u);
  EXPECT_EQ(a->segment_count, 0u);
  EXPECT_FALSE(a->record);
  munmap(a, sizeof(Assignment));
}

}  // namespace
}  // namespace jostle::explore

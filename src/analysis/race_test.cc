// The detector against hand-made histories: no thread really runs.
#include "analysis/race.h"

#include <gtest/gtest.h>

#include "sched/model/model.h"

namespace jostle {
namespace {

class First final : public Strategy {
 public:
  ThreadId pick(const View& view) override { return view.enabled().first(); }
};

class RaceTest : public testing::Test {
 protected:
  RaceTest() { begin(); }

  void begin() {
    scheduler_.begin(Plan(), Profile(), strategy_, nullptr);
    races_.begin();
    main_ = scheduler_.add_thread(nullptr);
    a_ = scheduler_.add_thread(main_);
    b_ = scheduler_.add_thread(main_);
    c_ = scheduler_.add_thread(main_);
  }
  // Every access has a place of its own, so that no race hides behind an earlier one.
  void access(Thread& t, const void* p, std::size_t size, bool write) {
    races_.range(t, reinterpret_cast<Address>(p), size, write, 0x1000 + 16 * ++place_);
  }
  void read(Thread& t, const void* p, std::size_t size = 4) { access(t, p, size, false); }
  void write(Thread& t, const void* p, std::size_t size = 4) { access(t, p, size, true); }
  void order(Thread& from, Thread& to) {
    Clock c{};
    scheduler_.release(from, c);
    scheduler_.acquire(to, c);
  }
  std::size_t found() const { return races_.found().size(); }

  Scheduler scheduler_;
  RaceDetector races_{scheduler_};
  First strategy_;
  Thread *main_, *a_, *b_, *c_;
  std::uint64_t place_ = 0;
  alignas(16) char memory_[64] = {};
};

TEST_F(RaceTest, UnorderedWrites) {
  write(*a_, memory_);
  write(*b_, memory_);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, ReadsDoNotRace) {
  read(*a_, memory_);
  read(*b_, memory_);
  read(*c_, memory_);
  EXPECT_EQ(found(), 0u);
}

TEST_F(RaceTest, EveryReaderCounts) {
  read(*a_, memory_);
  read(*b_, memory_);
  read(*c_, memory_);
  order(*a_, *c_);
  write(*c_, memory_);  // after a's read, not after b's
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, OrderedByReleaseAndAcquire) {
  write(*a_, memory_);
  order(*a_, *b_);
  write(*b_, memory_);
  order(*b_, *c_);
  read(*c_, memory_);
  EXPECT_EQ(found(), 0u);
}

TEST_F(RaceTest, OrderDoesNotReachBack) {
  order(*a_, *b_);
  write(*a_, memory_);  // after the release
  write(*b_, memory_);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, CreationOrders) {
  write(*main_, memory_);
  Thread* child = scheduler_.add_thread(main_);
  read(*child, memory_);
  EXPECT_EQ(found(), 0u);
  write(*main_, memory_);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, NeighboursInOneCell) {
  write(*a_, memory_, 4);
  write(*b_, memory_ + 4, 4);
  write(*a_, memory_ + 1, 1);
  write(*b_, memory_ + 7, 1);
  EXPECT_EQ(found(), 0u);
  write(*b_, memory_ + 3, 2);  // half of it is a's
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, EachByteKeepsItsHistory) {
  write(*a_, memory_, 1);
  order(*a_, *b_);
  write(*a_, memory_ + 1, 1);  // b does not know of this one
  write(*b_, memory_, 1);
  EXPECT_EQ(found(), 0u);
  write(*b_, memory_ + 1, 1);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, RangesAcrossCells) {
  write(*a_, memory_ + 4, 24);
  read(*b_, memory_ + 27, 1);
  EXPECT_EQ(found(), 1u);
  read(*b_, memory_ + 28, 4);
  read(*b_, memory_, 4);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, NothingIsLeftOfAnEarlierExecution) {
  write(*a_, memory_);
  begin();
  write(*b_, memory_);
  EXPECT_EQ(found(), 0u);
}

TEST_F(RaceTest, AtomicAgainstPlain) {
  write(*a_, memory_);
  races_.atomic(*b_, reinterpret_cast<Address>(memory_), 4, false, 0x77);
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, OnePairIsReportedOnce) {
  for (int i = 0; i < 3; ++i) {
    races_.range(*a_, reinterpret_cast<Address>(memory_), 4, true, 0x100);
    races_.range(*b_, reinterpret_cast<Address>(memory_), 4, true, 0x200);
  }
  EXPECT_EQ(found(), 1u);
}

TEST_F(RaceTest, FreedMemoryIsRemembered) {
  write(*a_, memory_, 8);
  order(*a_, *b_);
  races_.freed(*b_, reinterpret_cast<Address>(memory_), 32, 0x300);
  EXPECT_EQ(found(), 0u);
  EXPECT_TRUE(races_.is_freed(reinterpret_cast<Address>(memory_)));
  EXPECT_TRUE(races_.is_freed(reinterpret_cast<Address>(memory_ + 24)));
  EXPECT_FALSE(races_.is_freed(reinterpret_cast<Address>(memory_ + 32)));
  races_.forget(reinterpret_cast<Address>(memory_), 32);
  EXPECT_FALSE(races_.is_freed(reinterpret_cast<Address>(memory_)));
}

TEST_F(RaceTest, FreeingRacesWithAnUnorderedAccess) {
  read(*a_, memory_);
  races_.freed(*b_, reinterpret_cast<Address>(memory_), 8, 0x300);
  EXPECT_EQ(found(), 1u);
}

}  // namespace
}  // namespace jostle

// The detector against hand-made histories: no thread really runs.
#include "analysis/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

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

TEST_F(RaceTest, NeighboursKeepTheirPlaces) {
  write(*a_, memory_, 4);      // at 0x1010
  write(*a_, memory_ + 4, 4);  // at 0x1020
  read(*b_, memory_, 4);
  ASSERT_EQ(found(), 1u);
  EXPECT_EQ(races_.found()[0].other.pc, 0x1010u);
  EXPECT_EQ(races_.found()[0].size, 4u);
}

// Of three fields that one thread sets, and of three that it reads.
TEST_F(RaceTest, PlacesOfOneTimeAreKeptApart) {
  for (const bool is_write : {true, false})
    for (std::size_t raced = 0; raced < 3; ++raced)
      for (std::size_t fields = raced + 1; fields <= 3; ++fields) {
        begin();
        races_.forget_all();
        place_ = 0;
        for (std::size_t i = 0; i < fields; ++i) access(*a_, memory_ + 2 * i, 2, is_write);
        write(*b_, memory_ + 2 * raced, 2);
        ASSERT_EQ(found(), 1u);
        EXPECT_EQ(races_.found()[0].other.pc, 0x1010u + 16 * raced);
        EXPECT_EQ(races_.found()[0].address, reinterpret_cast<Address>(memory_ + 2 * raced));
        EXPECT_EQ(races_.found()[0].size, 2u);
      }
}

// Written at two places, then read at two others, at another time.
TEST_F(RaceTest, FieldsThatAreSetAndReadKeepBoth) {
  write(*a_, memory_, 4);
  write(*a_, memory_ + 4, 4);  // 0x1020
  order(*a_, *b_);
  read(*b_, memory_, 4);
  read(*b_, memory_ + 4, 4);  // 0x1040
  EXPECT_EQ(found(), 0u);
  write(*c_, memory_ + 4, 4);
  ASSERT_EQ(found(), 2u);
  EXPECT_EQ(races_.found()[0].other.pc, 0x1020u);
  EXPECT_EQ(races_.found()[1].other.pc, 0x1040u);
}

TEST_F(RaceTest, TwoPlacesAreForgottenWithTheirExecution) {
  for (const bool is_write : {true, false}) {
    begin();
    access(*a_, memory_, 4, is_write);
    access(*a_, memory_ + 4, 4, is_write);
    begin();
    read(*b_, memory_, 2);
    write(*b_, memory_ + 4, 2);
    write(*c_, memory_ + 2, 2);
    EXPECT_FALSE(races_.is_freed(reinterpret_cast<Address>(memory_)));
    EXPECT_EQ(found(), 0u);
  }
}

TEST_F(RaceTest, ReadersOfAPartAreItsOwn) {
  read(*a_, memory_, 8);
  read(*b_, memory_, 8);
  order(*a_, *b_);
  read(*a_, memory_, 1);  // b does not know of this one
  write(*b_, memory_ + 4, 1);
  EXPECT_EQ(found(), 0u);
  write(*b_, memory_, 1);
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

// A block that an earlier execution has freed, and this one has from the heap again.
TEST_F(RaceTest, WhatAnEarlierExecutionFreedIsNotFreed) {
  races_.freed(*a_, reinterpret_cast<Address>(memory_), 8, 1);
  begin();
  read(*a_, memory_, 1);
  order(*a_, *b_);  // then it is at another time, and the bytes are told apart
  write(*a_, memory_ + 1, 1);
  EXPECT_FALSE(races_.is_freed(reinterpret_cast<Address>(memory_)));
}

// Every access has a place of its own: the first one is 0x1010.
TEST_F(RaceTest, PlacesThatTouchWhatOthersDo) {
  auto& places = *static_cast<SharedPlaces*>(map_pages(sizeof(SharedPlaces)));
  races_.collect_places(&places);
  const auto found = [&] {
    return std::vector<std::uint64_t>(places.pc, places.pc + places.count);
  };
  using Places = std::vector<std::uint64_t>;
  write(*a_, memory_ + 8);  // 0x1010: its own
  read(*a_, memory_ + 8);
  EXPECT_EQ(found(), Places{});
  write(*a_, memory_);  // 0x1030
  order(*a_, *b_);
  read(*b_, memory_);  // 0x1040: depends on what another thread wrote, ordered or not
  EXPECT_EQ(found(), (Places{0x1030, 0x1040}));
  read(*c_, memory_ + 16);
  read(*b_, memory_ + 16);  // reads do not depend on each other
  EXPECT_EQ(places.count, 2u);
  write(*a_, memory_ + 16);  // 0x1070: after both of them
  EXPECT_EQ(places.count, 5u);
  // It is remembered of the memory, also by an execution of which only one thread has come there.
  begin();
  places.begin();
  write(*b_, memory_);       // 0x1080
  write(*b_, memory_ + 24);  // 0x1090
  EXPECT_EQ(found(), Places{0x1080});
  // Until it is freed.
  begin();
  places.begin();
  races_.freed(*b_, reinterpret_cast<Address>(memory_), 8, 1);
  races_.forget(reinterpret_cast<Address>(memory_), 8);
  write(*b_, memory_);
  EXPECT_EQ(found(), Places{});
  races_.collect_places(nullptr);
  unmap_pages(&places, sizeof places);
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

TEST_F(RaceTest, WhatIsNowhereIsNotShared) {
  write(*a_, reinterpret_cast<const void*>(8));
  write(*b_, reinterpret_cast<const void*>(8));
  EXPECT_EQ(found(), 0u);
}

TEST_F(RaceTest, PagesOfALargeBlockThatNobodyTouchedAreLeftAlone) {
  constexpr std::size_t kPage = 4096, kSize = 64 * kPage;
  alignas(kPage) static char block[kSize], others[2 * kSize];
  const auto start = reinterpret_cast<Address>(block);
  const auto look = [&] {
    write(*b_, block + 20 * kPage + 16);
    races_.freed(*b_, start, kSize, 0x300);
    EXPECT_TRUE(races_.is_freed(start));
    EXPECT_TRUE(races_.is_freed(start + 20 * kPage));
    EXPECT_FALSE(scheduler_.shadow().knows_page(start + 40 * kPage));
    races_.forget(start, kSize);
    EXPECT_FALSE(races_.is_freed(start));
    EXPECT_FALSE(races_.is_freed(start + 20 * kPage));
    EXPECT_FALSE(scheduler_.shadow().knows_page(start + 40 * kPage));
  };
  look();
  // The same where more pages are known than the block has.
  for (char* p = others; p < others + sizeof others; p += kPage) write(*b_, p);
  look();
}

TEST_F(RaceTest, FreeingRacesWithAnUnorderedAccess) {
  read(*a_, memory_);
  races_.freed(*b_, reinterpret_cast<Address>(memory_), 8, 0x300);
  EXPECT_EQ(found(), 1u);
}

// Histories at random, against all accesses ever made to each byte.
TEST_F(RaceTest, AgreesWithFullHistories) {
  struct Access {
    unsigned thread;
    bool write;
    std::uint64_t pc;
    std::array<unsigned, 4> clock;
  };
  std::mt19937 random(7);
  const auto upto = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::size_t races = 0;
  for (int history = 0; history < 3000; ++history) {
    begin();
    races_.forget_all();
    const std::array<Thread*, 4> threads{main_, a_, b_, c_};
    std::array<std::array<unsigned, 4>, 4> clock{};
    // The threads were made by main_, which goes on by itself.
    for (unsigned i = 0; i < 4; ++i) clock[i][i] = 1;
    std::array<std::vector<Access>, 16> bytes;
    std::array<bool, 16> raced{};
    // Every access at a place of its own, or all of them at a few.
    const bool own = upto(2) == 0;
    for (int step = 0; step < 24; ++step) {
      const unsigned t = upto(4);
      if (upto(4) == 0) {
        const unsigned to = (t + 1 + upto(3)) % 4;
        order(*threads[t], *threads[to]);
        for (unsigned i = 0; i < 4; ++i) clock[to][i] = std::max(clock[to][i], clock[t][i]);
        ++clock[t][t];
        continue;
      }
      const unsigned size = 1u << upto(4), at = upto(16 / size) * size;
      const bool is_write = upto(2) != 0;
      const std::size_t before = found();
      if (!own) place_ = upto(4);
      access(*threads[t], memory_ + at, size, is_write);
      const Access now{t, is_write, 0x1000 + 16 * place_, clock[t]};
      bool races_first = false;
      for (unsigned i = at; i < at + size; ++i) {
        bool one = false;
        for (const Access& e : bytes[i])
          one |= (e.write || is_write) && e.clock[e.thread] > clock[t][e.thread];
        races_first |= one && !raced[i];
        raced[i] = raced[i] || one;
        bytes[i].push_back(now);
      }
      // After its first race a byte may keep less than everything; two places are told once.
      EXPECT_TRUE(found() > before || !races_first || !own)
          << "history " << history << ", step " << step;
      for (std::size_t i = before; i < found(); ++i) {
        const Problem& p = races_.found()[i];
        EXPECT_EQ(p.place.pc, now.pc);
        // Somebody touched the bytes that are named, there, and not before.
        const auto& there = bytes.at(p.address - reinterpret_cast<Address>(memory_));
        EXPECT_TRUE(std::any_of(there.begin(), there.end(),
                                [&](const Access& e) {
                                  return e.pc == p.other.pc && e.thread == p.other.thread &&
                                         (e.write || is_write) &&
                                         e.clock[e.thread] > clock[t][e.thread];
                                }))
            << "history " << history << ", step " << step << ", byte " << p.address;
        ++races;
      }
    }
  }
  EXPECT_GT(races, 10000u);
}

}  // namespace
}  // namespace jostle

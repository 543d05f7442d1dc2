#include "check/sequence.h"

#include <gtest/gtest.h>

namespace jostle::checking {
namespace {

Access touching(Address object, Touch touch) { return {object, 0, 0, 8, touch}; }

struct Does {
  ThreadId thread;
  Address object;
  Touch touch;
  std::uint16_t choice = 0;
};
Sequence of(std::initializer_list<Does> all) {
  Sequence s;
  for (const Does& d : all) {
    const Access a = touching(d.object, d.touch);
    s.add(d.thread, d.choice);
    s.reach(a);
  }
  return s;
}

constexpr Address kX = 0x1000, kY = 0x2000;

TEST(Wanted, BeginsWithItsFirst) {
  const Sequence s = of({{1, kX, Touch::write}, {2, kX, Touch::read}});
  Wanted w(s);
  EXPECT_TRUE(w.begin_with(s, 0));
  EXPECT_EQ(w.rest().size(), 1u);
  EXPECT_TRUE(w.begin_with(s, 1));
  EXPECT_TRUE(w.empty());
}

TEST(Wanted, BeginsWithWhatNeedNotWait) {
  const Sequence s = of({{1, kX, Touch::write}, {2, kY, Touch::write}, {3, kY, Touch::read}});
  Wanted w(s);
  EXPECT_FALSE(w.begin_with(s, 2));  // it would not see what thread 2 wrote
  EXPECT_TRUE(w.begin_with(s, 1));
  EXPECT_TRUE(w.begin_with(s, 2));
  EXPECT_EQ(w.rest()[0].thread, 1);
}

TEST(Wanted, BeginsWithWhatItDoesNotNotice) {
  const Sequence s = of({{1, kX, Touch::read}});
  Wanted w(s);
  EXPECT_FALSE(w.begin_with(of({{2, kX, Touch::write}}), 0));
  EXPECT_TRUE(w.begin_with(of({{2, kX, Touch::read}}), 0));
  EXPECT_TRUE(w.begin_with(of({{2, kY, Touch::write}}), 0));
  EXPECT_FALSE(w.empty());
}

TEST(Wanted, ChoicesHaveToAgree) {
  const Sequence s = of({{1, kX, Touch::signal, 2}});
  Wanted w(s);
  EXPECT_FALSE(w.begin_with(of({{1, kX, Touch::signal, 3}}), 0));
  EXPECT_TRUE(w.begin_with(of({{1, kX, Touch::signal, 0}}), 0));
  EXPECT_TRUE(w.empty());
}

TEST(Sequence, ComesTrueAsFarAsItWent) {
  Sequence s = of({{1, kX, Touch::write}, {2, kX, Touch::read}});
  s.come_true({4});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].choice, 4);
}

TEST(Sequence, ReadsWhatItWrote) {
  Writer w;
  of({{1, kX, Touch::write, 5}, {2, kY, Touch::read}}).save(w);
  Reader r(w.bytes());
  Sequence s;
  ASSERT_TRUE(s.load(r));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].choice, 5);
  EXPECT_TRUE(s.conflicts(0, of({{3, kX, Touch::read}}), 0));
  Reader cut(std::string_view(w.bytes()).substr(0, w.bytes().size() - 8));
  EXPECT_FALSE(s.load(cut));
}

}  // namespace
}  // namespace jostle::checking

#include "cover/observer.h"

#include <gmock/gmock.h>

#include "cover/example.h"

namespace jostle::covering {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> observed(const Example& e, std::uint32_t window = 50) {
  Items items;
  observe_iroots(Execution(e.records.data(), e.records.size()), window, items);
  return to_texts(items);
}

TEST(Observer, Idiom1IsAConflictBetweenThreads) {
  EXPECT_THAT(observed(Example().write(1, 'A', 'x').read(2, 'B', 'x')),
              UnorderedElementsAre("1 AB"));
  EXPECT_THAT(observed(Example().read(1, 'A', 'x').read(2, 'B', 'x')), IsEmpty());
  EXPECT_THAT(observed(Example().write(1, 'A', 'x').write(1, 'B', 'x').read(2, 'C', 'x')),
              UnorderedElementsAre("1 BC"));
  EXPECT_THAT(observed(Example().write(1, 'A', 'x').read(2, 'B', 'y')), IsEmpty());
}

// Lock operations depend on each other as unlock => lock only.
TEST(Observer, Locks) {
  EXPECT_THAT(observed(Example().lock(1, 'A', 'm').unlock(1, 'B', 'm').lock(2, 'C', 'm')),
              UnorderedElementsAre("1 BC"));
}

TEST(Observer, Idiom2) {
  EXPECT_THAT(observed(Example().read(1, 'A', 'x').write(2, 'B', 'x').write(1, 'C', 'x')),
              UnorderedElementsAre("1 AB", "1 BC", "2 ABC"));
}

TEST(Observer, Idiom3) {
  const Example e =
      Example().write(1, 'A', 'x').write(2, 'B', 'x').write(2, 'C', 'x').read(1, 'D', 'x');
  EXPECT_THAT(observed(e), UnorderedElementsAre("1 AB", "1 CD", "3 ABCD"));
}

TEST(Observer, Idiom4) {
  const Example e =
      Example().write(1, 'A', 'x').read(2, 'B', 'x').write(2, 'C', 'y').read(1, 'D', 'y');
  EXPECT_THAT(observed(e), UnorderedElementsAre("1 AB", "1 CD", "4 ABCD"));
}

// However it is seen, it has one name.
TEST(Observer, Idiom5) {
  const Example e =
      Example().write(1, 'A', 'x').write(2, 'C', 'y').read(1, 'D', 'y').read(2, 'B', 'x');
  EXPECT_THAT(observed(e), UnorderedElementsAre("1 AB", "1 CD", "5 ABCD"));
  const Example late =
      Example().write(1, 'A', 'x').write(2, 'C', 'y').read(2, 'B', 'x').read(1, 'D', 'y');
  EXPECT_THAT(observed(late), UnorderedElementsAre("1 AB", "1 CD", "5 ABCD"));
}

TEST(Observer, Idiom6) {
  const Example e =
      Example().write(1, 'A', 'x').read(2, 'B', 'x').write(1, 'C', 'y').read(2, 'D', 'y');
  EXPECT_THAT(observed(e), UnorderedElementsAre("1 AB", "1 CD", "6 ABCD"));
}

// In idiom 3 T1 must leave the object alone between A and D; T2 need not.
TEST(Observer, NoAccessBetweenThoseOfT1) {
  const Example e = Example()
                        .write(1, 'A', 'x')
                        .write(2, 'B', 'x')
                        .read(1, 'E', 'x')
                        .write(2, 'C', 'x')
                        .read(1, 'D', 'x');
  EXPECT_THAT(observed(e), Not(Contains("3 ABCD")));
  EXPECT_THAT(observed(e), Contains("2 ECD"));
}

TEST(Observer, Window) {
  Example e;
  e.write(1, 'A', 'x').read(2, 'B', 'x').write(2, 'C', 'y');
  for (int i = 0; i < 3; ++i) e.read(1, 'S', 's');
  e.read(2, 'U', 's').read(1, 'D', 'y');
  EXPECT_THAT(observed(e, 4), Contains("4 ABCD"));
  EXPECT_THAT(observed(e, 3), Not(Contains("4 ABCD")));
}

// What only one thread touches is not counted.
TEST(Observer, WindowCountsWhatIsShared) {
  Example e;
  e.write(1, 'A', 'x').read(2, 'B', 'x').write(2, 'C', 'y');
  for (int i = 0; i < 30; ++i) e.read(1, 'S', 's');
  e.read(1, 'D', 'y');
  EXPECT_THAT(observed(e, 1), Contains("4 ABCD"));
}

TEST(Observer, PairsOfLocks) {
  Items items;
  const Example e = Example()
                        .lock(1, 'a', 'm')
                        .unlock(1, 'u', 'm')
                        .lock(1, 'b', 'm')
                        .unlock(1, 'u', 'm')
                        .lock(2, 'a', 'n')
                        .unlock(2, 'u', 'n')
                        .lock(2, 'c', 'm');
  observe_pairs(Execution(e.records.data(), e.records.size()), items);
  EXPECT_THAT(to_texts(items), UnorderedElementsAre("p ab", "p bc"));
}

}  // namespace
}  // namespace jostle::covering

#include "cover/profiler.h"

#include <gmock/gmock.h>

#include "cover/example.h"

namespace jostle::covering {
namespace {

using testing::Contains;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> predicted(const Example& e, std::uint32_t window = 50) {
  Items items;
  predict_iroots(Execution(e.records.data(), e.records.size()), window, items);
  return to_texts(items);
}
std::vector<std::string> estimated(const Example& e) {
  Items items;
  estimate_pairs(e.records.data(), e.records.size(), items);
  return to_texts(items);
}

TEST(Profiler, PredictsBothOrders) {
  EXPECT_THAT(predicted(Example().fork(0, 1).fork(0, 2).write(1, 'A', 'x').write(2, 'B', 'x')),
              UnorderedElementsAre("1 AB", "1 BA"));
}

// Maple, Figure 5 (a): what comes before a thread is created does not come after what it does.
TEST(Profiler, Figure5aCreationOrders) {
  EXPECT_THAT(predicted(Example().write(0, 'A', 'x').fork(0, 1).write(1, 'B', 'x')),
              UnorderedElementsAre("1 AB"));
  EXPECT_THAT(predicted(Example().fork(0, 1).write(1, 'A', 'x').join(0, 1).write(0, 'B', 'x')),
              UnorderedElementsAre("1 AB"));
}

// Maple, Figure 5 (b): A and B in one critical section, C in another with the same lock.
TEST(Profiler, Figure5bMutualExclusion) {
  const Example e = Example()
                        .fork(0, 1)
                        .fork(0, 2)
                        .lock(1, 'l', 'm')
                        .write(1, 'A', 'x')
                        .write(1, 'B', 'x')
                        .unlock(1, 'u', 'm')
                        .lock(2, 'k', 'm')
                        .write(2, 'C', 'x')
                        .unlock(2, 'v', 'm');
  const auto items = predicted(e);
  EXPECT_THAT(items, Contains("1 BC"));
  EXPECT_THAT(items, Contains("1 CA"));
  EXPECT_THAT(items, Contains("1 uk"));
  EXPECT_THAT(items, Contains("1 vl"));
  EXPECT_THAT(items, Not(Contains("1 AC")));
  EXPECT_THAT(items, Not(Contains("1 CB")));
  EXPECT_THAT(items, Not(Contains("2 ACB")));
}

// Maple, Figure 6: local pairs and what idiom 1 predicts give both iRoots of idiom 4.
TEST(Profiler, Figure6CompoundIdioms) {
  const Example e = Example()
                        .fork(0, 1)
                        .fork(0, 2)
                        .write(1, 'A', 'x')
                        .write(1, 'B', 'y')
                        .write(2, 'C', 'x')
                        .write(2, 'D', 'y');
  const auto items = predicted(e);
  EXPECT_THAT(items, Contains("4 ACDB"));
  EXPECT_THAT(items, Contains("4 CABD"));
  EXPECT_THAT(items, Contains("6 ACBD"));
  EXPECT_THAT(items, Contains("6 CADB"));
  EXPECT_THAT(predicted(e, 1), Contains("4 ACDB"));
}

TEST(Profiler, AtomicityOfOneObject) {
  const Example e =
      Example().fork(0, 1).fork(0, 2).read(1, 'A', 'x').write(1, 'C', 'x').write(2, 'B', 'x');
  EXPECT_THAT(predicted(e), UnorderedElementsAre("1 AB", "1 BA", "1 CB", "1 BC", "2 ABC"));
}

// Going round a loop adds nothing, and costs next to nothing: without condensed histories this
// would compare 10^10 pairs.
TEST(Profiler, CondensesWhatIsIdentical) {
  Example once, often;
  for (Example* e : {&once, &often}) e->fork(0, 1).fork(0, 2);
  for (int i = 0; i < 100'000; ++i)
    for (Example* e : {&once, &often})
      if (i < 3 || e == &often)
        e->lock(1, 'l', 'm')
            .write(1, 'A', 'x')
            .unlock(1, 'u', 'm')
            .lock(2, 'k', 'm')
            .write(2, 'B', 'x')
            .unlock(2, 'v', 'm');
  EXPECT_THAT(predicted(often, 4), testing::UnorderedElementsAreArray(predicted(once, 4)));
}

// The same where nothing is identical, since each thread's clock goes on every time: what a place
// did is compared with the first and with the last of what others did.
TEST(Profiler, ComparesTheFirstAndTheLastOfMany) {
  Example once, often;
  for (Example* e : {&once, &often}) e->fork(0, 1).fork(0, 2);
  for (int i = 0; i < 20'000; ++i)
    for (Example* e : {&once, &often})
      if (i < 3 || e == &often)
        e->write(1, 'A', 'x')
            .write(1, 'C', 'y')
            .post(1, 'p', 'c')
            .write(2, 'B', 'x')
            .write(2, 'D', 'y')
            .post(2, 'q', 'd');
  EXPECT_THAT(predicted(often, 4), testing::UnorderedElementsAreArray(predicted(once, 4)));
}

// The second paper's Figures 2 and 3: two threads, each with two critical sections of one lock.
Example two_threads_with_two_sections() {
  return Example()
      .fork(0, 1)
      .fork(0, 2)
      .lock(1, '1', 'm')
      .unlock(1, 'u', 'm')
      .lock(1, '2', 'm')
      .unlock(1, 'u', 'm')
      .lock(2, '3', 'm')
      .unlock(2, 'u', 'm')
      .lock(2, '4', 'm')
      .unlock(2, 'u', 'm');
}

TEST(Pairs, Figure3TenOfTwelve) {
  EXPECT_THAT(estimated(two_threads_with_two_sections()),
              UnorderedElementsAre("p 12", "p 13", "p 14", "p 23", "p 24", "p 34", "p 31", "p 32",
                                   "p 41", "p 42"));
}

// AC2 and AC3: an outer lock keeps the other thread out between the two.
TEST(Pairs, GuardedByAnOuterLock) {
  const Example e = Example()
                        .fork(0, 1)
                        .fork(0, 2)
                        .lock(1, 'o', 'g')
                        .lock(1, '1', 'm')
                        .unlock(1, 'u', 'm')
                        .lock(1, '2', 'm')
                        .unlock(1, 'u', 'm')
                        .unlock(1, 'u', 'g')
                        .lock(2, 'p', 'g')
                        .lock(2, '3', 'm')
                        .unlock(2, 'u', 'm')
                        .unlock(2, 'u', 'g');
  EXPECT_THAT(estimated(e), UnorderedElementsAre("p 12", "p 23", "p 31", "p op", "p po"));
}

// AC4.
TEST(Pairs, BeforeTheThreadWasCreated) {
  const Example e = Example()
                        .lock(0, '1', 'm')
                        .unlock(0, 'u', 'm')
                        .fork(0, 1)
                        .lock(1, '2', 'm')
                        .unlock(1, 'u', 'm');
  EXPECT_THAT(estimated(e), UnorderedElementsAre("p 12"));
}

}  // namespace
}  // namespace jostle::covering

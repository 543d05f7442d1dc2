#include "cover/feasibility.h"

#include <gtest/gtest.h>

#include "cover/example.h"
#include "cover/profiler.h"

namespace jostle::covering {
namespace {

using Answer = Feasibility::Answer;

struct Judged {
  Answer answer;
  std::string reason;
};
Judged judge(const Example& e, const Item& item) {
  const Execution x(e.records.data(), e.records.size());
  Feasibility f(x);
  Judged j{};
  j.answer = f.judge(item, 50, j.reason);
  return j;
}

TEST(Feasibility, CreationAndJoin) {
  const Example e =
      Example().write(0, 'A', 'x').fork(0, 1).write(1, 'B', 'x').join(0, 1).write(0, 'C', 'x');
  EXPECT_EQ(judge(e, {Idiom::one, {at('A', Did::write), at('B', Did::write)}}).answer,
            Answer::possible);
  EXPECT_EQ(judge(e, {Idiom::one, {at('B', Did::write), at('C', Did::write)}}).answer,
            Answer::possible);
  const Judged back = judge(e, {Idiom::one, {at('B', Did::write), at('A', Did::write)}});
  EXPECT_EQ(back.answer, Answer::infeasible);
  EXPECT_EQ(back.reason, "threads are created or joined in between");
}

// Nothing prevents the order, but something always comes between.
TEST(Feasibility, AnotherAccessComesBetween) {
  const Example e = Example()
                        .fork(0, 1)
                        .write(0, 'A', 'x')
                        .write(0, 'B', 'x')
                        .fork(0, 2)
                        .write(2, 'C', 'x')
                        .read(1, 'D', 'x');
  const Judged j = judge(e, {Idiom::one, {at('A', Did::write), at('C', Did::write)}});
  EXPECT_EQ(j.answer, Answer::infeasible);
  EXPECT_EQ(j.reason, "another access always comes between");
  EXPECT_EQ(judge(e, {Idiom::one, {at('A', Did::write), at('D', Did::read)}}).answer,
            Answer::possible);
}

// Maple's prediction looks at one dependency at a time; the second half may exclude the first.
TEST(Feasibility, LocksExcludeWhatWasPredicted) {
  const Example e = read_then_write();
  // The lock of T2 directly after b; then W, which needs the lock, before V, which has it.
  const Item six{
      Idiom::six,
      {at('b', Did::release), at('k', Did::acquire), at('W', Did::write), at('V', Did::write)}};
  Items predicted;
  predict_iroots(Execution(e.records.data(), e.records.size()), 50, predicted);
  ASSERT_TRUE(predicted.contains(six));
  EXPECT_EQ(judge(e, six).answer, Answer::infeasible);
  const Item two{Idiom::two, {at('R', Did::read), at('V', Did::write), at('W', Did::write)}};
  EXPECT_EQ(judge(e, two).answer, Answer::possible);
}

TEST(Feasibility, WhatTheExecutionShowsIsPossible) {
  const Example e = Example()
                        .fork(0, 1)
                        .fork(0, 2)
                        .write(1, 'A', 'x')
                        .write(2, 'C', 'y')
                        .read(2, 'B', 'x')
                        .read(1, 'D', 'y')
                        .lock(1, 'l', 'm')
                        .write(1, 'E', 'x')
                        .unlock(1, 'u', 'm')
                        .lock(2, 'k', 'm')
                        .write(2, 'F', 'x')
                        .unlock(2, 'v', 'm');
  const Execution x(e.records.data(), e.records.size());
  Items shown;
  observe_iroots(x, 50, shown);
  observe_pairs(x, shown);
  ASSERT_GT(shown.size(), 5u);
  for (const Item& i : shown) EXPECT_NE(judge(e, i).answer, Answer::infeasible) << to_text(i);
}

TEST(Feasibility, WhatIsNotThereIsUnknown) {
  const Example e = Example().fork(0, 1).write(0, 'A', 'x').write(1, 'B', 'x');
  EXPECT_EQ(judge(e, {Idiom::one, {at('A', Did::write), at('Z', Did::write)}}).answer,
            Answer::unknown);
}

}  // namespace
}  // namespace jostle::covering

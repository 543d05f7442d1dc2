// Schedules worked out from executions: with the reads that there were, with others, and by Z3.
#include <gtest/gtest.h>

#include "cover/example.h"
#include "cover/feasibility.h"
#include "cover/observer.h"

namespace jostle::covering {
namespace {

using Reads = Feasibility::Reads;

// The records in the order of the witness.
std::string letters(const std::vector<Turn>& turns) {
  std::string s;
  for (const Turn& t : turns)
    if (t.site != kCreates) s += static_cast<char>(pc_of(t.site));
  return s;
}

// Places are used once each.
std::vector<AccessRecord> records(const Example& e, const std::vector<Turn>& turns) {
  std::vector<AccessRecord> order;
  for (const Turn& t : turns)
    for (const AccessRecord& r : e.records)
      if (t.site != kCreates && r.thread == t.thread && site_key(r.pc, r.did) == t.site)
        order.push_back(r);
  return order;
}

// T1: A on x, then C on y; T2: reads y at R before it writes x at B.
Example two_threads() {
  return Example()
      .fork(0, 1)
      .fork(0, 2)
      .write(1, 'A', 'x')
      .write(1, 'C', 'y')
      .read(2, 'R', 'y')
      .write(2, 'B', 'x');
}

TEST(Witness, KeepsTheReadsThatThereWere) {
  const Example e = two_threads();
  const Execution x(e.records.data(), e.records.size());
  const Feasibility f(x);
  const Item forth{Idiom::one, {at('A', Did::write), at('B', Did::write)}};
  EXPECT_EQ(letters(f.witness(forth, 50, Reads::same).turns), "ACRB");
  // B before A: then R, which comes before B, cannot see C any more.
  const Item back{Idiom::one, {at('B', Did::write), at('A', Did::write)}};
  const auto same = f.witness(back, 50, Reads::same);
  EXPECT_TRUE(same.turns.empty());
  EXPECT_FALSE(same.infeasible);
  EXPECT_EQ(letters(f.witness(back, 50, Reads::any).turns), "RBA");
}

// Whatever is not called infeasible gets an order in which it is exposed, as the observer sees it.
TEST(Witness, ExposesTheItem) {
  const Example e = read_then_write();
  const Execution x(e.records.data(), e.records.size());
  const Feasibility f(x);
  const Item two{Idiom::two, {at('R', Did::read), at('V', Did::write), at('W', Did::write)}};
  const auto w = f.witness(two, 50, Reads::same);
  ASSERT_FALSE(w.turns.empty());
  const std::vector<AccessRecord> order = records(e, w.turns);
  Items shown;
  observe_iroots(Execution(order.data(), order.size()), 50, shown);
  EXPECT_TRUE(shown.contains(two)) << letters(w.turns);
}

// Deciding as it was recorded leads to a contradiction; there is an order all the same.
TEST(Witness, NeedsTheSolver) {
  if (!solver_there()) GTEST_SKIP() << "no libz3.so.4";
  const Example e = Example()
                        .fork(0, 1)
                        .fork(0, 2)
                        .fork(0, 3)
                        .fork(0, 4)
                        .lock(1, 'A', 'o')
                        .lock(1, 'B', 'n')
                        .read(1, 'C', 'y')
                        .read(1, 'D', 'y')
                        .unlock(1, 'E', 'n')
                        .unlock(1, 'F', 'o')
                        .lock(1, 'G', 'm')
                        .read(1, 'H', 'x')
                        .write(1, 'I', 'x')
                        .unlock(1, 'J', 'm')
                        .lock(2, 'K', 'n')
                        .read(2, 'L', 'x')
                        .unlock(2, 'M', 'n')
                        .write(2, 'N', 'x')
                        .write(2, 'O', 'y')
                        .read(2, 'P', 'x')
                        .lock(3, 'Q', 'n')
                        .write(3, 'R', 'y')
                        .write(3, 'S', 'y')
                        .unlock(3, 'T', 'n')
                        .lock(3, 'U', 'n')
                        .write(3, 'V', 'y')
                        .write(3, 'W', 'x')
                        .unlock(3, 'X', 'n')
                        .lock(4, 'Y', 'n')
                        .lock(4, 'Z', 'o')
                        .write(4, '[', 'y')
                        .unlock(4, '\\', 'o')
                        .unlock(4, ']', 'n')
                        .lock(4, '^', 'm')
                        .lock(4, '_', 'n')
                        .write(4, '`', 'y')
                        .read(4, 'a', 'y')
                        .unlock(4, 'b', 'n')
                        .unlock(4, 'c', 'm')
                        .lock(4, 'd', 'o')
                        .read(4, 'e', 'x')
                        .read(4, 'f', 'x')
                        .unlock(4, 'g', 'o');
  const Execution x(e.records.data(), e.records.size());
  const Feasibility f(x);
  const Item six{
      Idiom::six,
      {at('b', Did::release), at('K', Did::acquire), at('f', Did::read), at('N', Did::write)}};
  const auto w = f.witness(six, 50, Reads::same);
  EXPECT_TRUE(w.by_solver);
  ASSERT_FALSE(w.turns.empty());
  Items shown;
  const std::vector<AccessRecord> order = records(e, w.turns);
  observe_iroots(Execution(order.data(), order.size()), 50, shown);
  EXPECT_TRUE(shown.contains(six)) << letters(w.turns);
}

TEST(Solver, DecidesWhatDoesNotFollow) {
  if (!solver_there()) GTEST_SKIP() << "no libz3.so.4";
  // Two threads of two points each, a1 a2 and b1 b2; each alternative alone has a solution.
  const Point a1{0, 0}, a2{0, 1}, b1{1, 0}, b2{1, 1};
  const Solution one = solve({}, {{{a2, b1}, {b2, a1}}});
  ASSERT_EQ(one.answer, Solution::Answer::found);
  ASSERT_EQ(one.first.size(), 1u);
  const Solution none =
      solve({}, {{{a2, b1}, {b2, a1}}, {{a1, b1}, {a1, b1}}, {{b1, a2}, {b1, a2}}});
  EXPECT_EQ(none.answer, Solution::Answer::none);
}

TEST(Solver, AgreesWithTheOrder) {
  if (!solver_there()) GTEST_SKIP() << "no libz3.so.4";
  const Point a{0, 0}, b{1, 0}, c{2, 0};
  const std::vector<Edge> edges = {{a, b}};
  const std::vector<Either> open = {{{b, c}, {c, a}}, {{c, b}, {a, c}}};
  const Solution s = solve(edges, open);
  ASSERT_EQ(s.answer, Solution::Answer::found);
  Order order({1, 1, 1});
  ASSERT_TRUE(order.add(a, b));
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Edge& e = s.first[i] ? open[i].first : open[i].second;
    EXPECT_TRUE(order.add(e.from, e.to));
  }
}

TEST(Order, ClosesOverThreads) {
  Order o({2, 2, 2});
  EXPECT_TRUE(o.before({0, 0}, {0, 1}));
  EXPECT_FALSE(o.before({0, 0}, {1, 0}));
  EXPECT_TRUE(o.add({0, 1}, {1, 0}));
  EXPECT_TRUE(o.add({1, 1}, {2, 0}));
  EXPECT_TRUE(o.before({0, 0}, {2, 1}));
  EXPECT_FALSE(o.add({2, 0}, {0, 0}));
  EXPECT_FALSE(o.before({2, 0}, {0, 0}));
}

}  // namespace
}  // namespace jostle::covering

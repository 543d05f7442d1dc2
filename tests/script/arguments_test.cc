// What functions were called with: enters("f") && argument(0) == 3. This file is built with -O1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jostle/script.hpp>
#include <thread>

using namespace jostle::scripting;
using testing::HasSubstr;

namespace {

const jostle::Options kQuiet = {.races = false, .quiet = true};

enum class Colour { red, green = 200 };
struct Item {
  int weight = 7;
  [[gnu::noinline]] int add(int more) { return weight += more; }
};

volatile long sink;

[[gnu::noinline]] void numbers(int a, unsigned b, long c, Colour d, const int* e) {
  sink = sink + a;
  sink = sink + b + c + static_cast<int>(d) + *e;
}
[[gnu::noinline]] void six(int a, int b, int c, int d, int e, const Item* f) {
  sink = sink + a + b + c;
  sink = sink + d + e + f->weight;
}
[[gnu::noinline]] void unused(int a, int) { sink = sink + a; }
[[gnu::noinline]] void fraction(double x) {
  sink = sink + 1;
  sink = sink + static_cast<long>(x);
}

Item g_item;

void body() {
  std::thread t([] {
    for (int i = -2; i < 2; ++i)
      numbers(i, static_cast<unsigned>(250 + i), -5'000'000'000, Colour::green, &g_item.weight);
    six(1, 2, 3, 4, -5, &g_item);
    unused(1, 2);
    fraction(1.5);
    sink = sink + g_item.add(3);
  });
  t.join();
}

jostle::Result run(const std::function<void()>& script) {
  return jostle::script(body, script, kQuiet);
}

TEST(Arguments, Numbers) {
  const jostle::Result r = run([] {
    const Event e = select(any, enters("numbers") && argument(0) == -1);
    EXPECT_EQ(e.argument(0), -1);
    EXPECT_EQ(e.argument("b"), 249);
    EXPECT_EQ(e.argument("c"), -5'000'000'000);
    EXPECT_EQ(e.argument("d"), 200);
    EXPECT_EQ(e.argument(4), reinterpret_cast<std::int64_t>(&g_item.weight));
    const Event last = select(any, enters("numbers") && argument("a") > 0 && argument("b") != 3);
    EXPECT_EQ(last.argument("a"), 1);
  });
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.unsatisfied, 0u);
}

// So many that some are kept in memory.
TEST(Arguments, InMemoryAndPointers) {
  const jostle::Result r = run([] {
    const Event e = select(any, enters("six") && argument("f") == &g_item);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(e.argument(i), i + 1);
    EXPECT_EQ(e.argument("e"), -5);
    const Event add = select(any, enters("Item::add") && argument("more") < 4);
    EXPECT_EQ(add.argument("this"), reinterpret_cast<std::int64_t>(&g_item));
    EXPECT_EQ(add.argument(1), 3);
  });
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.unsatisfied, 0u);
}

TEST(Arguments, NoSuchValue) {
  const jostle::Result r = run([] { select(any, enters("numbers") && argument(0) == 42); });
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_THAT(r.error, HasSubstr("an argument 0 == 42"));
}

TEST(Arguments, WhatCannotBeToldIsRefused) {
  EXPECT_THAT(run([] { select(any, enters("unused") && argument(1) == 2); }).error,
              HasSubstr("the argument 1 of 'unused' cannot be told: the debug information knows no "
                        "place"));
  EXPECT_THAT(run([] { select(any, enters("fraction") && argument("x") == 1); }).error,
              HasSubstr("neither a number without a fraction nor a pointer"));
  EXPECT_THAT(run([] { select(any, enters("unused") && argument("z") == 1); }).error,
              HasSubstr("the function has no such parameter; it has a, (no name)"));
  EXPECT_THAT(run([] { select(any, returns("unused")).argument(0); }).error,
              HasSubstr("the argument 0 is asked for, and the thread is before: return from"));
}

}  // namespace

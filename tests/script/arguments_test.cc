// What functions were called with, and what they return: enters("f") && argument(0) == 3. This file
// is built with -O1.
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

// Values that are in registers, in the frame, or only computed behind the last call.
[[gnu::noinline]] int less(int a, int b) {
  sink = sink + 1;
  return a - b;
}
[[gnu::noinline]] bool heavier(const Item& a, long than) {
  sink = sink + 1;
  return a.weight > than;
}
[[gnu::noinline]] const Item* find(bool there) {
  sink = sink + 1;
  return there ? &g_item : nullptr;
}
[[gnu::noinline]] unsigned char byte(unsigned a) {
  volatile unsigned kept[8] = {a};
  sink = sink + 1;
  return static_cast<unsigned char>(kept[0] * 3);
}
[[gnu::noinline]] long far(long a, long b, long c) {
  sink = sink + a;
  sink = sink + b;
  return a < b ? -c : c << 33;
}
[[gnu::noinline]] Colour colour(int i) {
  sink = sink + 1;
  return i == 2 ? Colour::green : Colour::red;
}
[[gnu::noinline]] double half(int a) {
  sink = sink + 1;
  return a / 2.0;
}

void compute() {
  for (int i = 0; i < 4; ++i) {
    sink = sink + less(i, 2) + heavier(g_item, 5 + i) + (find(i == 3) != nullptr);
    sink = sink + byte(100u + static_cast<unsigned>(i)) + far(i, 2, 5) +
           static_cast<int>(colour(i)) + static_cast<long>(half(i));
  }
}

void body() {
  g_item.weight = 7;
  std::thread t([] {
    compute();
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

TEST(Returned, Numbers) {
  const jostle::Result r = run([] {
    const Event e = select(any, returns("less") && returned() == 1);
    EXPECT_EQ(e.returned(), 1);
  });
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.unsatisfied, 0u);
}

// All of them, one after the other, as they are computed here.
TEST(Returned, OfEveryKind) {
  std::vector<std::int64_t> seen;
  const jostle::Result r = run([&] {
    seen.clear();
    for (int i = 0; i < 4; ++i)
      for (const char* f : {"less", "heavier", "find", "byte", "far", "colour"}) {
        const Event e = select(any, returns(f) && returned() != -12345);
        seen.push_back(e.returned());
      }
  });
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.error, "");
  ASSERT_EQ(seen.size(), 24u);
  for (int i = 0; i < 4; ++i) {
    const auto* s = &seen[static_cast<std::size_t>(i) * 6];
    EXPECT_EQ(s[0], i - 2);
    EXPECT_EQ(s[1], 7 > 5 + i);
    EXPECT_EQ(s[2], i == 3 ? reinterpret_cast<std::int64_t>(&g_item) : 0);
    EXPECT_EQ(s[3], static_cast<unsigned char>((100 + i) * 3));
    EXPECT_EQ(s[4], i < 2 ? -5 : 5l << 33);
    EXPECT_EQ(s[5], i == 2 ? 200 : 0);
  }
}

TEST(Returned, WhatCannotBeToldIsRefused) {
  EXPECT_THAT(run([] { select(any, returns("half") && returned() == 1); }).error,
              HasSubstr("what 'half' returns cannot be told: it is neither a number without a "
                        "fraction nor a pointer"));
  EXPECT_THAT(run([] { select(any, returns("unused") && returned() == 1); }).error,
              HasSubstr("the function returns nothing"));
  EXPECT_THAT(run([] { select(any, enters("less")).returned(); }).error,
              HasSubstr("a returned value is asked for, and the thread is before: "));
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

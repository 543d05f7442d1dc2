#include "report/frames.h"

#include <gtest/gtest.h>

#include "report/fake_symbols.h"

namespace jostle::report {
namespace {

TEST(ShortFunction, Examples) {
  const std::pair<const char*, const char*> cases[] = {
      {"main", "main"},
      {"Account::withdraw(int)", "Account::withdraw"},
      {"bank::(anonymous namespace)::Account::withdraw(int) const", "bank::Account::withdraw"},
      {"(anonymous namespace)::work()", "work"},
      {"void push<int, std::vector<int> >(int)", "push"},
      {"std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"},
      {"main::{lambda()#1}::operator()() const", "main::{lambda}"},
      {"f(int) const::{lambda(auto:1)#2}::operator()<int>(int) const", "f::{lambda}"},
      {"main::$_0::operator()() const", "main::{lambda}"},
      {"auto main::$_0::operator()() const::{lambda(auto:1)#1}::operator()<int>(int) const",
       "main::{lambda}::{lambda}"},
      {"A::operator()(int)", "A::operator()"},
      {"operator<<(std::ostream&, A const&)", "operator<<"},
      {"bool operator< <int>(A<int> const&, A<int> const&)", "operator<"},
      {"A<int>::operator->() const", "A::operator->"},
      {"A::operator bool() const", "A::operator bool"},
      {"A::operator std::vector<int>() const", "A::operator std::vector"},
      {"operator new(unsigned long)", "operator new"},
      {"operator delete[](void*)", "operator delete[]"},
      {"A::operator=(A&&)", "A::operator="},
      {"cooperator::run()", "cooperator::run"},
      {"f(int) [clone .isra.0]", "f"},
      {"name[abi:cxx11](int)", "name"},
      {"g(int) &&", "g"},
      {"g(void (*)(int), decltype (a->b))", "g"},
      {"", ""},
      {"(", "("},
      {"<<<<", "<<<<"},
      {"operator", "operator"},
  };
  for (const auto& [full, expected] : cases) EXPECT_EQ(short_function(full), expected) << full;
  // A comparison inside template arguments cannot be told from a bracket: no crash is enough.
  EXPECT_FALSE(short_function("std::enable_if<(1)>2, int>::type f<int>(int)").empty());
}

TEST(Paths, BaseNameAndNormalise) {
  EXPECT_EQ(base_name("/a/b.cc"), "b.cc");
  EXPECT_EQ(base_name("b.cc"), "b.cc");
  EXPECT_EQ(base_name(""), "");
  EXPECT_EQ(normalise("/usr/bin/../lib/gcc/12/../../../include/c++/12/mutex"),
            "/usr/include/c++/12/mutex");
  EXPECT_EQ(normalise("./a//b/./c"), "a/b/c");
  EXPECT_EQ(normalise("../../x.c"), "../../x.c");
  EXPECT_EQ(normalise("/../x"), "/x");
}

TEST(UserFrame, Rules) {
  EXPECT_TRUE(is_user_frame({"Account::withdraw(int)", "/home/me/bank.cc", 12}));
  EXPECT_TRUE(is_user_frame({"std::hash<Key>::operator()(Key) const", "/home/me/key.h", 3}));
  EXPECT_TRUE(is_user_frame({"work", "", 0}));
  EXPECT_FALSE(is_user_frame({"std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 100}));
  EXPECT_FALSE(is_user_frame({"std::thread::join()", "", 0}));
  EXPECT_FALSE(is_user_frame({"pthread_mutex_lock", "./nptl/pthread_mutex_lock.c", 80}));
  EXPECT_FALSE(is_user_frame({"jostle::run(int)", "/home/me/jostle/src/explore/run.cc", 1}));
  EXPECT_FALSE(is_user_frame({"f", "/opt/include/jostle/jostle.hpp", 1}));
  EXPECT_FALSE(is_user_frame({"testing::Test::Run()", "/tmp/gtest.cc", 1}));
  EXPECT_FALSE(is_user_frame({"", "", 0}));
}

TEST(UserFrame, OfAStack) {
  FakeSymbols s;
  s.code[1] = {{"std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 100},
               {"std::lock_guard<std::mutex>::lock_guard(std::mutex&)",
                "/usr/include/c++/12/bits/std_mutex.h", 229},
               {"Account::withdraw(int)", "/home/me/bank.cc", 12}};
  s.code[2] = {{"main", "/home/me/bank.cc", 40}};
  s.code[3] = {{"std::thread::join()", "", 0}};
  EXPECT_EQ(place_text(user_frame(s, std::vector<std::uint64_t>{1, 2})), "bank.cc:12");
  EXPECT_EQ(place_text(user_frame(s, std::vector<std::uint64_t>{3, 2})), "bank.cc:40");
  EXPECT_EQ(place_text(user_frame(s, std::vector<std::uint64_t>{3})), "std::thread::join");
  EXPECT_EQ(place_text(user_frame(s, std::vector<std::uint64_t>{})), "?");
}

TEST(StackOf, SurvivesNonsense) {
  Trace t;
  t.stacks = {0, 2, 10, 11, 99, 5};
  Event e;
  e.pc = 10;
  EXPECT_EQ(stack_of(t, e), (std::vector<std::uint64_t>{10}));
  e.stack = 1;
  EXPECT_EQ(stack_of(t, e), (std::vector<std::uint64_t>{10, 11}));
  e.stack = 4;  // claims 99 entries
  EXPECT_EQ(stack_of(t, e), (std::vector<std::uint64_t>{10, 5}));
  e.stack = 5;
  EXPECT_EQ(stack_of(t, e), (std::vector<std::uint64_t>{10}));
  e.stack = 600;
  EXPECT_EQ(stack_of(t, e), (std::vector<std::uint64_t>{10}));
  Place p;
  p.event = 7;
  EXPECT_TRUE(stack_of(t, p).empty());
}

TEST(Where, AnAssertionNamesItsOwnPlace) {
  FakeSymbols s;
  s.code[1] = {{"check()", "/home/me/bank.cc", 30}};
  Trace t;
  Problem p;
  p.place.pc = 1;
  EXPECT_EQ(place_text(where(t, s, p)), "bank.cc:30");
  std::strcpy(p.file, "src/bank.cc");
  p.line = 29;
  EXPECT_EQ(place_text(where(t, s, p)), "bank.cc:29");
  EXPECT_EQ(where(t, s, p).function, "check()");
  std::strcpy(p.file, "other.cc");
  EXPECT_EQ(where(t, s, p).function, "");
}

}  // namespace
}  // namespace jostle::report

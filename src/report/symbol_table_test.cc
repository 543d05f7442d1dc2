#include "report/symbol_table.h"

#include <gtest/gtest.h>

namespace jostle::report {

int variable_of_this_test = 3;
[[gnu::noinline]] int function_of_this_test(int x) { return x + variable_of_this_test; }

namespace {

TEST(SymbolTable, NamesAreGivenAsFarAsNeeded) {
  const char* const f = "bank::Account<int>::withdraw(int, char const*) const";
  EXPECT_TRUE(is_named(f, "withdraw"));
  EXPECT_TRUE(is_named(f, "Account::withdraw"));
  EXPECT_TRUE(is_named(f, "bank::Account::withdraw"));
  EXPECT_FALSE(is_named(f, "draw"));
  EXPECT_FALSE(is_named(f, "Account"));
  EXPECT_FALSE(is_named(f, "other::Account::withdraw"));
}

TEST(SymbolTable, SignaturesTellOverloadsApart) {
  EXPECT_TRUE(is_named("void put<double>(double)", "put<double>(double)"));
  EXPECT_FALSE(is_named("void put<long>(long)", "put<double>(double)"));
  EXPECT_TRUE(is_named("void put<double>(double) [clone .constprop.0]", "put<double>(double)"));
  EXPECT_FALSE(is_named("void input(int)", "put(int)"));
}

TEST(SymbolTable, RegularExpressionsAreFoundInTheCompleteName) {
  EXPECT_TRUE(is_named("bank::Account::withdraw(int)", "/Acc.*draw\\(int\\)/"));
  EXPECT_FALSE(is_named("bank::Account::deposit(int)", "/draw/"));
}

TEST(SymbolTable, KnowsThisProgram) {
  const SymbolTable table;
  const auto a = reinterpret_cast<Address>(&function_of_this_test);
  const NamedObject* f = table.function_at(a);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->start, a);
  EXPECT_TRUE(is_named(f->name, "function_of_this_test"));
  EXPECT_EQ(table.function_at(a + f->size - 1), f);
  EXPECT_EQ(table.function_at(0), nullptr);
  bool found = false;
  for (const NamedObject& v : table.variables())
    found |= v.start == reinterpret_cast<Address>(&variable_of_this_test) && v.size == sizeof(int);
  EXPECT_TRUE(found);
  EXPECT_EQ(function_of_this_test(1), 4);
}

}  // namespace
}  // namespace jostle::report

#include "report/text.h"

#include <gtest/gtest.h>

namespace jostle::report {
namespace {

TEST(Wrapped, BetweenWords) {
  EXPECT_EQ(wrapped("a bb ccc", 4), "a bb\nccc\n");
  EXPECT_EQ(wrapped("a bb ccc", 80), "a bb ccc\n");
  EXPECT_EQ(wrapped("longer than that", 5), "longer\nthan\nthat\n");
  EXPECT_EQ(wrapped("→ → →", 3), "→ →\n→\n") << "columns, not bytes";
}

TEST(Wrapped, Indented) {
  EXPECT_EQ(wrapped("jostle: one two three four", 15, 8),
            "jostle: one two\n        three\n        four\n");
}

}  // namespace
}  // namespace jostle::report

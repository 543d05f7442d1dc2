// Whatever a reduction leaves out is like something that it executes: compared with a search that
// leaves out nothing.
#pragma once

#include <gtest/gtest.h>

#include <set>

#include "jostle/jostle.hpp"

using Reduction = jostle::Options::Reduction;

// By what the body returns.
struct Search {
  jostle::Result result;
  std::set<int> outcomes;
};

inline Search search(int (*body)(), Reduction reduction, const char* priority = "",
                     const char* preemptions = "") {
  jostle::Options o;
  o.quiet = o.keep_going = true;
  o.minimize = false;
  o.output = testing::TempDir() + "/jostle-all-classes";
  o.reduction = reduction;
  o.priority = priority;
  o.preemptions = preemptions;
  Search s;
  auto* outcomes = &s.outcomes;
  s.result = jostle::check([=] { outcomes->insert(body()); }, o);
  EXPECT_TRUE(s.result.ok()) << s.result.report;
  EXPECT_TRUE(s.result.complete) << s.result.incomplete;
  return s;
}

inline void expect_all_classes(int (*body)(), std::uint64_t known = 0) {
  const Search all = search(body, Reduction::none);
  if (known) EXPECT_EQ(all.result.classes, known);
  for (const char* priority : {"", "rand", "pb"}) {
    const Search s = search(body, Reduction::optimal, priority);
    EXPECT_EQ(s.result.executions, all.result.classes) << priority;
    EXPECT_EQ(s.result.blocked, 0u) << priority;
    EXPECT_EQ(s.outcomes, all.outcomes) << priority;
  }
}

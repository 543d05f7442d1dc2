// Section 2 of the CONCURRIT paper: four scripts, from "is it concurrency at all?" to the schedule.
#include <gtest/gtest.h>

#include <jostle/script.hpp>

#include "tests/script/spidermonkey.h"

using namespace jostle::scripting;
using spidermonkey::current;

namespace {

const jostle::Options kQuiet = {.races = false, .minimize = false, .quiet = true};

void broken() { spidermonkey::body(); }
void repaired() { spidermonkey::body(true); }

void sequential() {
  const auto [a, b, c] = wait_for_distinct_threads<3>(starts);
  while (!has_ended(a) || !has_ended(b) || !has_ended(c)) run_until(choose_thread(a + b + c), ends);
}

void all() { search_all(3); }

void in_buggy() {
  const auto [a, b, c] = wait_for_distinct_threads<3>(enters("JS_NewContext"));
  run_until(a + b, enters("JS_DestroyContext"));
  run_until(a, in_function("js_GC") && reads(&current->state));
  release(a);
  run_until(b, ends);
  run_until(a, in_function("js_GC") && writes(&current->gc_thread));
  const auto busy = [](Tid t) {
    return in_function(t, "JS_DestroyContext") || in_function(t, "JS_NewContext");
  };
  while (busy(a) || busy(c))
    run_until(choose_thread(!busy(a) ? c : !busy(c) ? a : a + c), reads || writes || calls || ends);
}

void exact() {
  const auto [a, b, c] = wait_for_distinct_threads<3>(enters("JS_NewContext"));
  run_until(a + b, enters("JS_DestroyContext"));
  run_until(a, in_function("js_GC") && locks(&current->gc_lock));
  run_until(b, ends);
  run_until(a, in_function("js_GC") && reads(&current->adding_root));
  run_until(c, in_function("js_AddRoot") && writes(&current->roots));
  run_until(a, ends);
}

TEST(Section2, SequentialHasSixSchedulesAndNoBug) {
  const jostle::Result r = jostle::script(broken, sequential, kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.executions, 6u);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.unsatisfied, 0u) << r.report;
}

// Depth first, the bug is not among the first thousands: the search changes the last choices first.
TEST(Section2, AllHasManySchedules) {
  jostle::Options o = kQuiet;
  o.executions = 5000;
  const jostle::Result r = jostle::script(broken, all, o);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_EQ(r.executions, 5000u);
  EXPECT_FALSE(r.complete);
  EXPECT_FALSE(r.incomplete.empty());
  EXPECT_EQ(r.strayed, 0u);
  EXPECT_EQ(r.unsatisfied, 0u) << r.report;
}

// Chooses as exact() does: each thread goes on to a place, one after the other.
class Guided final : public Oracle {
 public:
  std::uint32_t choose(std::uint32_t n) override {
    if (plan_.empty()) {
      const Predicate destroys = enters("JS_DestroyContext"), in_gc = in_function("js_GC");
      plan_ = {{Tid(1), destroys},
               {Tid(2), destroys},
               {Tid(1), in_gc && locks(&current->gc_lock)},
               {Tid(2), ends},
               {Tid(1), in_gc && reads(&current->adding_root)},
               {Tid(3), in_function("js_AddRoot") && writes(&current->roots)},
               {Tid(1), ends}};
    }
    while (at_ < plan_.size() && there(plan_[at_])) ++at_;
    std::uint32_t index = 0;
    for (std::uint16_t t = 1; t <= 3; ++t) {
      if (at_ < plan_.size() && plan_[at_].thread == Tid(t)) break;
      if (!has_ended(Tid(t)) && !is_blocked(Tid(t))) ++index;
    }
    return index < n ? index : 0;
  }
  bool restart() override { return false; }

 private:
  struct Way {
    Tid thread;
    Predicate until;
  };
  static bool there(const Way& w) { return has_ended(w.thread) || w.until(pending(w.thread)); }
  std::vector<Way> plan_;
  std::size_t at_ = 0;
};

// But it is one of them.
TEST(Section2, AllHasTheBug) {
  Guided oracle, same;
  const jostle::Result r = jostle::script(broken, all, oracle, kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
  EXPECT_TRUE(jostle::script(repaired, all, same, kQuiet).ok());
}

TEST(Section2, InBuggyFindsItWithinTenSchedules) {
  const jostle::Result r = jostle::script(broken, in_buggy, kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
  EXPECT_LT(r.executions, 10u);
}

TEST(Section2, ExactFindsItEveryTime) {
  for (int i = 0; i < 100; ++i) {
    const jostle::Result r = jostle::script(broken, exact, kQuiet);
    ASSERT_EQ(r.findings.size(), 1u) << r.report;
    ASSERT_TRUE(r.findings[0].confirmed) << r.report;
    ASSERT_EQ(r.executions, 1u);
  }
}

TEST(Section2, ExactIsNotPossibleOnceRepaired) {
  const jostle::Result r = jostle::script(repaired, exact, kQuiet);
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_NE(r.error.find("section2_test.cc"), std::string::npos) << r.error;
}

}  // namespace

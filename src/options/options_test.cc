#include "options/options.h"

#include <gtest/gtest.h>

#include "options/exit_codes.h"
#include "options/nearest.h"

namespace jostle {
namespace {

TEST(Options, DefaultsAreThoseOfTheDefFile) {
  const Options o;
  EXPECT_EQ(o.strategy, "portfolio");
  EXPECT_EQ(o.executions, 10000u);
  EXPECT_EQ(o.timeout, 10);
  EXPECT_EQ(o.preempt, Options::Preempt::race);
  EXPECT_TRUE(o.minimize);
  EXPECT_FALSE(o.off);
}

TEST(Options, DesignatedInitialisersWork) {
  const Options o{.executions = 5, .preempt = Options::Preempt::all};
  EXPECT_EQ(o.executions, 5u);
  EXPECT_EQ(o.seed, 1u);
}

TEST(Options, EveryDefaultReadsBackAsItself) {
  for (const OptionInfo& i : all_options()) {
    Options o;
    const auto done = apply(o, i.name, value_of(o, i.name));
    EXPECT_TRUE(done) << done.error();
    EXPECT_EQ(o, Options()) << i.name;
  }
}

TEST(Options, Durations) {
  Options o;
  const std::pair<const char*, double> good[] = {{"500ms", 0.5}, {"60s", 60},  {"5m", 300},
                                                 {"1h", 3600},   {"2.5", 2.5}, {"0", 0}};
  for (const auto& [text, seconds] : good) {
    ASSERT_TRUE(apply(o, "budget", text)) << text;
    EXPECT_DOUBLE_EQ(o.budget, seconds) << text;
  }
  for (const char* bad : {"", "s", "-1s", "-0", "5 m", "5d", "1e400", "1e3", "inf", "nan", "0x10",
                          "99999999h", "5mm"})
    EXPECT_FALSE(apply(o, "budget", bad)) << bad;
  EXPECT_EQ(apply(o, "budget", "soon").error(),
            "option 'budget': 'soon' is not a duration such as 500ms, 60s, 5m or 1h");
}

TEST(Options, NumbersAreCheckedForRange) {
  Options o;
  EXPECT_TRUE(apply(o, "seed", "18446744073709551615"));
  EXPECT_EQ(o.seed, ~0ull);
  EXPECT_TRUE(apply(o, "seed", "0xff"));
  EXPECT_EQ(o.seed, 255u);
  for (const char* bad : {"", "-1", "+1", "1.5", "18446744073709551616", "0x", "1 "})
    EXPECT_FALSE(apply(o, "seed", bad)) << bad;
  EXPECT_EQ(apply(o, "spurious", "4294967296").error(),
            "option 'spurious': '4294967296' is not a whole number from 0 to 4294967295");
  EXPECT_FALSE(apply(o, "jobs", "0"));
  EXPECT_EQ(o.jobs, 1u) << "a failed apply leaves the value alone";
  EXPECT_FALSE(apply(o, "jobs", "257"));
  EXPECT_TRUE(apply(o, "jobs", "256"));
}

TEST(Options, ValuesThatWereSetInCode) {
  Options o;
  EXPECT_TRUE(validate(o));
  o.jobs = 100'000;
  EXPECT_EQ(validate(o).error(), "option 'jobs': '100000' is not a whole number from 1 to 256");
  o.jobs = 0;
  EXPECT_FALSE(validate(o));
  o.jobs = 2;
  o.budget = -1;
  EXPECT_FALSE(validate(o));
}

TEST(Options, Choices) {
  Options o;
  ASSERT_TRUE(apply(o, "color", "auto"));
  ASSERT_TRUE(apply(o, "preempt", "sync"));
  EXPECT_EQ(o.preempt, Options::Preempt::sync);
  EXPECT_EQ(value_of(o, "color"), "auto");
  EXPECT_EQ(apply(o, "backend", "fibres").error(),
            "option 'backend': 'fibres' is not one of fibers, threads");
  EXPECT_FALSE(apply(o, "color", "auto_"));
  EXPECT_FALSE(apply(o, "color", ""));
}

TEST(Options, UnknownNamesGetTheNearest) {
  Options o;
  EXPECT_EQ(apply(o, "straegy", "pct").error(),
            "unknown option 'straegy': did you mean 'strategy'?");
  EXPECT_EQ(apply(o, "weak_cas", "1").error(),
            "unknown option 'weak_cas': did you mean 'weak-cas'?");
  EXPECT_EQ(apply(o, "xylophone", "1").error(),
            "unknown option 'xylophone' ('jostle list options' shows all)");
  EXPECT_FALSE(apply(o, std::string(100000, 'x'), "1"));
}

TEST(Options, Lists) {
  Options o;
  ASSERT_TRUE(apply_list(o, "seed=7:quiet:output=a\\:b=c::minimize=off:"));
  EXPECT_EQ(o.seed, 7u);
  EXPECT_TRUE(o.quiet);
  EXPECT_EQ(o.output, "a:b=c");
  EXPECT_FALSE(o.minimize);
  ASSERT_TRUE(apply_list(o, "off"));
  EXPECT_TRUE(o.off);
  EXPECT_TRUE(apply_list(o, ""));
  EXPECT_EQ(apply_list(o, "seed").error(),
            "option 'seed' needs a value: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(apply_list(o, "quite").error(), "unknown option 'quite': did you mean 'quiet'?");
  EXPECT_FALSE(apply_list(o, "seed=1\\"));
  EXPECT_FALSE(apply_list(o, "=1"));
}

TEST(Options, ListRoundTrip) {
  Options o{.strategy = "pct", .budget = 0.25, .output = "x:y\\z", .color = Options::Color::never};
  Options copy;
  ASSERT_TRUE(apply_list(copy, to_list(o)));
  EXPECT_EQ(copy, o);
  EXPECT_EQ(to_list(Options()), "");
}

TEST(Options, Environment) {
  Options o;
  const char* const good[] = {"PATH=/bin",
                              "JOSTLE_OPTIONS=seed=3:executions=9",
                              "JOSTLE_SEED=4",
                              "JOSTLE_WEAK_CAS=2",
                              "JOSTLE_INTERNAL_FD=5",
                              "JOSTLE_BUDGET=",
                              nullptr};
  const auto done = apply_environment(o, good);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(o.seed, 4u);
  EXPECT_EQ(o.executions, 9u);
  EXPECT_EQ(o.weak_cas, 2u);

  const char* const unknown[] = {"JOSTLE_SEDE=4", nullptr};
  EXPECT_EQ(apply_environment(o, unknown).error(),
            "unknown environment variable 'JOSTLE_SEDE': did you mean 'JOSTLE_SEED'?");
  const char* const bad[] = {"JOSTLE_SEED=x", nullptr};
  EXPECT_EQ(apply_environment(o, bad).error(),
            "environment variable JOSTLE_SEED: 'x' is not a whole number from 0 to "
            "18446744073709551615");
  const char* const bad_list[] = {"JOSTLE_OPTIONS=sed=1", nullptr};
  EXPECT_EQ(apply_environment(o, bad_list).error(),
            "JOSTLE_OPTIONS: unknown option 'sed': did you mean 'seed'?");
  EXPECT_TRUE(apply_environment(o, GetEnv([](const char*) -> const char* { return nullptr; })));
}

TEST(Options, DescriptionNamesEveryOptionAndFits) {
  const std::string text = describe_options();
  for (const OptionInfo& i : all_options())
    EXPECT_NE(text.find("  --" + std::string(i.name)), std::string::npos) << i.name;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 80u) << text.substr(at, end - at);
    at = end + 1;
  }
}

TEST(Nearest, Distance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("seed", "sede"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(ExitCode, Numbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::diverged), 6);
  EXPECT_EQ(name_of(ExitCode::nothing), "nothing");
  EXPECT_EQ(text_of(ExitCode::finding), "a finding was reported");
}

}  // namespace
}  // namespace jostle

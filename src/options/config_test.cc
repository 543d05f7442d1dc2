#include "options/config.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "options/options.h"

namespace jostle {
namespace {

Expected<bool> apply_to(Options& o, std::string_view text, std::vector<std::string> names = {}) {
  return apply_config_text(o, text, names);
}

std::string error_of(std::string_view text) {
  Options o;
  const auto done = apply_to(o, text);
  EXPECT_EQ(o, Options()) << "nothing may be set by half";
  return done ? "none" : done.error();
}

TEST(Config, EveryKindOfOption) {
  Options o;
  const auto done = apply_to(o,
                             "seed = 7\n"
                             "depth = 0x10\n"
                             "strategy = 'pct'\n"
                             "preempt = \"all\"\n"
                             "weak-cas = 3\n"
                             "races = false\n"
                             "budget = '5m'\n"
                             "timeout = 2.5\n"
                             "seal = ['log*', 'a.cc']\n");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(to_list(o),
            "strategy=pct:seed=7:budget=300s:depth=16:preempt=all:seal=log*,a.cc:weak-cas=3:"
            "timeout=2.5s:races=false");
}

TEST(Config, SectionsAreForPrograms) {
  const std::string text =
      "seed = 1\n"
      "executions = 1\n"
      "[program.bank_test]\n"
      "seed = 2\n"
      "[program.\"my program\"]\n"
      "seed = 3\n"
      "[program.Account.Deposit]\n"
      "seed = 4\n";
  const std::pair<std::vector<std::string>, unsigned> cases[] = {
      {{}, 1},
      {{""}, 1},
      {{"other"}, 1},
      {{"bank_test"}, 2},
      {{"my program"}, 3},
      {{"bank_test", "Account.Deposit"}, 4},
      {{"Account.Deposit", "bank_test"}, 2},
  };
  for (const auto& [names, seed] : cases) {
    Options o;
    ASSERT_TRUE(apply_to(o, text, names));
    EXPECT_EQ(o.seed, seed);
    EXPECT_EQ(o.executions, 1u);
  }
}

TEST(Config, ErrorsNameLineKeyAndTheNearest) {
  const std::pair<const char*, const char*> cases[] = {
      {"seed = 7\nstraegy = 'pct'", "2: unknown key 'straegy': did you mean 'strategy'?"},
      {"weak_cas = 1", "1: unknown key 'weak_cas': did you mean 'weak-cas'?"},
      {"xylophone = 1", "1: unknown key 'xylophone' ('jostle list options' shows all)"},
      {"[program.other]\nsede = 1", "2: unknown key 'sede': did you mean 'seed'?"},
      {"seed = 'x'", "1: key 'seed' needs a whole number from 0 to 18446744073709551615, not text"},
      {"seed = 1.5",
       "1: key 'seed' needs a whole number from 0 to 18446744073709551615, not a number"},
      {"seed = -1", "1: key 'seed': '-1' is not a whole number from 0 to 18446744073709551615"},
      {"races = 1", "1: key 'races' needs true or false, not a whole number"},
      {"races = 'true'", "1: key 'races' needs true or false, not text"},
      {"strategy = true",
       "1: key 'strategy' needs text on one line, in quotation marks, not true or false"},
      {"strategy = ['pct']",
       "1: key 'strategy' needs text on one line, in quotation marks, not an array"},
      {"preempt = 'never'", "1: key 'preempt': 'never' is not one of sync, race, all"},
      {"budget = true",
       "1: key 'budget' needs a duration such as 500ms, 60s, 5m or 1h, not true or false"},
      {"budget = 'soon'", "1: key 'budget': 'soon' is not a duration such as 500ms, 60s, 5m or 1h"},
      {"seal = ['a,b']", "1: key 'seal': 'a,b' has a comma, which separates items"},
      {"jobs = 0", "1: key 'jobs': '0' is not a whole number from 1 to 256"},
      {"[programs.x]", "1: unknown section 'programs': did you mean [program.NAME]?"},
      {"[xyzzy]", "1: unknown section 'xyzzy': there is [program.NAME]"},
      {"[\"program.x\"]", "1: unknown section 'program.x': did you mean [program.NAME]?"},
      {"[program]", "1: the section lacks the name of a program: [program.NAME]"},
      {"[program.a.b]\n[program.\"a.b\"]", "2: there are two sections for the program 'a.b'"},
      {"seed = 7\nseed", "2: expected '=' after the key 'seed'"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(Config, Files) {
  const std::string path = testing::TempDir() + "jostle_config_test.toml";
  std::ofstream(path) << "seed = 7\n[program.p]\nseed = 8\n";
  Options o;
  ASSERT_TRUE(apply_config(o, path, std::string("p")));
  EXPECT_EQ(o.seed, 8u);
  std::ofstream(path) << "seed = 7\nsede = 8\n";
  EXPECT_EQ(apply_config(o, path, std::string("p")).error(),
            path + ":2: unknown key 'sede': did you mean 'seed'?");
  std::remove(path.c_str());
  EXPECT_EQ(apply_config(o, path, std::string()).error(),
            "cannot read '" + path + "': No such file or directory");
  EXPECT_EQ(apply_config(o, "/", std::string()).error(), "cannot read '/': not a regular file");
}

TEST(Config, TheCodeIsStronger) {
  Options o;
  ASSERT_TRUE(apply_to(o, "seed = 7\nexecutions = 5\n"));
  overlay(o, {.seed = 9});
  EXPECT_EQ(o.seed, 9u);
  EXPECT_EQ(o.executions, 5u);
}

}  // namespace
}  // namespace jostle

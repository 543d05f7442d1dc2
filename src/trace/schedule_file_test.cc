#include "trace/schedule_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace jostle {
namespace {

Schedule example() {
  Schedule s;
  s.tool_version = "0.1.0";
  s.program = "/home/me/bank_test";
  s.arguments = {"--gtest_filter=Bank.Transfer", "", "two words"};
  s.test = "Bank.Transfer";
  s.build_id = "5fd3c1";
  s.finding = "assertion";
  s.message = "balance == 0 failed";
  s.place = "bank.cc:30";
  s.backend = "fibers";
  s.preempt = Preempt::all;
  s.promoted = {{0x12f0, "Account::withdraw", "bank.cc", 14}};
  s.steps = {
      {17,
       ChoiceKind::thread,
       "0.1",
       {"0.0", EventKind::mutex_lock, "Account::withdraw", "bank.cc", 12, 0}},
      {23, ChoiceKind::waiter, "2", {"", EventKind::cond_signal, "", "", 0, 7}},
      {24, ChoiceKind::weak_cas, "1", {"0", EventKind::atomic_cas, "operator <", "a b", 1, 1}}};
  return s;
}

std::string text() { return write_schedule(example()); }

std::string replaced(std::string_view from, std::string_view to) {
  std::string t = text();
  const std::size_t at = t.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return t.replace(at, from.size(), to);
}

std::string error_of(const std::string& t) {
  const auto r = read_schedule(t);
  EXPECT_FALSE(r) << t;
  return r ? "" : r.error();
}

TEST(ScheduleFile, LooksAsDocumented) {
  EXPECT_EQ(text(),
            "jostle-schedule 1\n"
            "tool 0.1.0\n"
            "program /home/me/bank_test\n"
            "argument --gtest_filter=Bank.Transfer\n"
            "argument \"\"\n"
            "argument \"two words\"\n"
            "test Bank.Transfer\n"
            "build-id 5fd3c1\n"
            "finding assertion\n"
            "message \"balance == 0 failed\"\n"
            "place bank.cc:30\n"
            "backend fibers\n"
            "preempt all\n"
            "spurious 0\n"
            "weak-cas 1\n"
            "timeouts 1\n"
            "max-steps 200000\n"
            "patience 0\n"
            "promote 0x12f0 in Account::withdraw at bank.cc:14\n"
            "@17 thread 0.1 when 0.0 is before mutex_lock in Account::withdraw at bank.cc:12 #0\n"
            "@23 waiter 2 when \"\" is before cond_signal in \"\" at :0 #7\n"
            "@24 weak-cas 1 when 0 is before atomic_cas in \"operator <\" at \"a b:1\" #1\n"
            "end 3\n");
}

TEST(ScheduleFile, RoundTrip) {
  for (const Schedule& s : {example(), Schedule()}) {
    const auto again = read_schedule(write_schedule(s));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, s);
  }
}

TEST(ScheduleFile, RoundTripOfEveryByte) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  for (const std::string& odd :
       {every, std::string("\""), std::string("\\"), std::string("\\n"), std::string(" "),
        std::string("#x"), std::string("\n\r\t"), std::string("end 3\n@1"), std::string("ünï:cödé"),
        std::string(1, '\0'), std::string(100000, ' ')}) {
    Schedule s = example();
    s.message = s.program = s.test = s.finding = s.place = s.tool_version = s.build_id = odd;
    s.arguments = {odd, odd};
    s.promoted[0].function = s.promoted[0].file = odd;
    s.steps[0].at.function = s.steps[0].at.file = odd;
    const auto again = read_schedule(write_schedule(s));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, s);
  }
}

TEST(ScheduleFile, CommentsAreAllowed) {
  const auto r = read_schedule(replaced("tool ", "# found by the nightly run\ntool "));
  ASSERT_TRUE(r) << r.error();
  EXPECT_EQ(*r, example());
}

TEST(ScheduleFile, EveryPrefixIsAnErrorNotACrash) {
  const std::string whole = text();
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_FALSE(read_schedule(whole.substr(0, n))) << n;
}

TEST(ScheduleFile, EveryFlippedBitIsSurvived) {
  for (std::size_t i = 0; i < text().size() * 8; ++i) {
    std::string t = text();
    t[i / 8] = static_cast<char>(t[i / 8] ^ (1 << (i % 8)));
    if (const auto r = read_schedule(t)) {
      EXPECT_EQ(*read_schedule(write_schedule(*r)), *r);
    }
  }
}

TEST(ScheduleFile, WholeFileErrors) {
  EXPECT_EQ(error_of(""), "line 1: the file is empty");
  EXPECT_EQ(error_of("\x7f"
                     "ELF"),
            "line 1: this is not a Jostle schedule");
  EXPECT_EQ(error_of(replaced("schedule 1", "schedule 2")),
            "line 1: the file has format 2, written by Jostle 0.1.0; this Jostle reads format 1: "
            "use the version that wrote the file, or a newer one");
  EXPECT_EQ(error_of(replaced("schedule 1", "schedule x")),
            "line 1: x is not the number of a format");
  EXPECT_EQ(error_of(replaced("end 3\n", "")),
            "line 23: the file is cut short: there is no 'end' line");
  EXPECT_EQ(error_of(replaced("end 3\n", "end 3")),
            "line 23: the file is cut short: the line has no end");
  EXPECT_EQ(error_of(replaced("end 3\n", "end 4\n")),
            "line 23: the file should have 4 steps but has 3");
  EXPECT_EQ(error_of(text() + "more\n"), "line 24: there is text after the 'end' line");
  EXPECT_EQ(error_of(std::string((64u << 20) + 1, 'x')), "larger than the limit of 64 MiB");
}

TEST(ScheduleFile, LineErrors) {
  EXPECT_EQ(error_of(replaced("backend", "colour")), "line 12: unknown key colour");
  EXPECT_EQ(error_of(replaced("place", "backend fibers\nplace")),
            "line 13: the key 'backend' stands here a second time");
  EXPECT_EQ(error_of(replaced("place bank.cc:30\n", "")), "line 22: the key 'place' is missing");
  EXPECT_EQ(error_of(replaced("fibers", "fibres")),
            "line 12: fibres is not a backend: fibers or threads");
  EXPECT_EQ(error_of(replaced("preempt all", "preempt most")),
            "line 13: 'preempt' needs one of sync, race, all");
  for (const char* bad : {"-1", "4294967296", "99999999999999999999", "0x5", "1.0", "05", "\"\""})
    EXPECT_EQ(error_of(replaced("spurious 0", std::string("spurious ") + bad)),
              "line 14: 'spurious' needs a number from 0 to 4294967295");
  EXPECT_EQ(error_of(replaced("tool 0.1.0", "tool \x1b[31mred")),
            "line 2: the word \"\\x1b[31mred\" should be in quotes");
  EXPECT_EQ(error_of(replaced("tool 0.1.0", "tool \"0.1.0")), "line 2: a closing quote is missing");
  EXPECT_EQ(error_of(replaced("tool 0.1.0", "tool  0.1.0")), "line 2: a blank too many");
  EXPECT_EQ(error_of(replaced("tool 0.1.0", "tool 0.1.0\r")),
            "line 2: the word \"0.1.0\\x0d\" should be in quotes");
  EXPECT_EQ(error_of(replaced("two words", "two \\q words")), "line 6: unknown escape \\q");
  EXPECT_EQ(error_of(replaced("0x12f0", "12f0")), "line 19: 12f0 is not an offset such as 0x12f0");
}

TEST(ScheduleFile, StepErrors) {
  EXPECT_EQ(error_of(replaced("@24", "@23")), "line 22: decision 23 does not come after 23");
  EXPECT_EQ(error_of(replaced("@17", "@4294967296")),
            "line 20: 4294967296 is not the number of a decision");
  EXPECT_EQ(error_of(replaced("thread 0.1", "thread 0.1.")),
            "line 20: 0.1. is not a thread such as 0.1");
  EXPECT_EQ(error_of(replaced("thread 0.1", "fibre 0.1")),
            "line 20: fibre is not a choice: thread, waiter or weak-cas");
  EXPECT_EQ(error_of(replaced("waiter 2", "waiter 65536")),
            "line 21: 65536 is not a number from 0 to 65535");
  EXPECT_EQ(error_of(replaced("mutex_lock", "mutex_luck")),
            "line 20: mutex_luck is not a kind of event");
  EXPECT_EQ(error_of(replaced("bank.cc:12", "bank.cc")), "line 20: bank.cc is not FILE:LINE");
  EXPECT_EQ(error_of(replaced(" #0", " #x")), "line 20: \"#x\" is not an occurrence such as #0");
  EXPECT_EQ(error_of(replaced("end 3", "tool 0.2\nend 3")),
            "line 23: only steps may follow a step");
}

class ScheduleOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/jostle-schedule-XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(ScheduleOnDisk, SaveMakesDirectoriesAndLeavesNothingBehind) {
  const std::string path = directory_ + "/a/b/one.schedule";
  for (int i = 0; i < 2; ++i) {
    const auto saved = save_schedule(path, example());
    ASSERT_TRUE(saved) << saved.error();
  }
  EXPECT_EQ(*load_schedule(path), example());
  const std::filesystem::directory_iterator entries(directory_ + "/a/b");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(ScheduleOnDisk, LoadErrorsNameTheFile) {
  EXPECT_EQ(load_schedule(directory_ + "/none").error(),
            "cannot read '" + directory_ + "/none': No such file or directory");
  EXPECT_EQ(load_schedule(directory_).error(),
            "cannot read '" + directory_ + "': not a regular file");
  const std::string pipe = directory_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(load_schedule(pipe).error(), "cannot read '" + pipe + "': not a regular file");
  std::ofstream(directory_ + "/bad") << "hello";
  EXPECT_EQ(load_schedule(directory_ + "/bad").error(),
            "'" + directory_ + "/bad': line 1: this is not a Jostle schedule");
}

TEST_F(ScheduleOnDisk, SaveErrorsNameTheFile) {
  std::ofstream(directory_ + "/file") << "x";
  EXPECT_FALSE(save_schedule(directory_ + "/file/one", example()));
  std::filesystem::create_directory(directory_ + "/dir");
  EXPECT_EQ(save_schedule(directory_ + "/dir", example()).error(),
            "cannot write '" + directory_ + "/dir': Is a directory");
  const std::filesystem::directory_iterator entries(directory_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2) << "the temporary file is gone";
}

}  // namespace
}  // namespace jostle

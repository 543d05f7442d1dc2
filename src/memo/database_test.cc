#include "memo/database.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace jostle::memo {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  // One folder for each process: tests may run at the same time.
  DatabaseTest() : folder_(testing::TempDir() + "/jostle-memo-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~DatabaseTest() override { std::filesystem::remove_all(folder_); }

  Database open(const std::string& name = "memo.db") {
    auto d = Database::open(folder_ + "/" + name, true);
    EXPECT_TRUE(d) << d.error();
    return std::move(*d);
  }
  static memo::Run run(const std::string& id, const std::string& program = "p") {
    return {id, program, "input " + id, "2026-01-0" + id, 10, 0.5, 2, 1};
  }
  static Item exposed(const std::string& id) {
    return {id, "iroot1", "a\nb", true, true, 0, "", "", "3:1"};
  }
  static Item failed(const std::string& id, std::uint64_t n) {
    return {id, "iroot1", "a\nb", true, false, n, "", "", ""};
  }
  const std::string folder_;
};

TEST_F(DatabaseTest, AnItemIsWhatAllRunsSayAboutIt) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {failed("x", 2), exposed("y")}));
  ASSERT_TRUE(d.store(run("2"), {failed("x", 3)}));
  auto items = d.items("p");
  ASSERT_TRUE(items) << items.error();
  EXPECT_EQ(items->size(), 2u);
  EXPECT_EQ((*items)["x"].failures, 5u);
  EXPECT_FALSE((*items)["x"].exposed);
  EXPECT_TRUE((*items)["y"].exposed);
  EXPECT_EQ((*items)["y"].input, "input 1");
  EXPECT_EQ((*items)["y"].schedule, "3:1");
  EXPECT_TRUE(d.items("other")->empty());
}

// The same run again replaces what it said before.
TEST_F(DatabaseTest, ARunIsStoredAsItGoes) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {failed("x", 2)}));
  ASSERT_TRUE(d.store(run("1"), {failed("x", 4), exposed("y")}));
  EXPECT_EQ((*d.items("p"))["x"].failures, 4u);
  ASSERT_TRUE(d.store(run("1"), {exposed("y")}));
  EXPECT_FALSE(d.items("p")->contains("x"));
  EXPECT_EQ(d.runs("p")->size(), 1u);
}

TEST_F(DatabaseTest, MergingIsAssociativeAndLosesNothing) {
  for (const char* name : {"a.db", "b.db", "c.db"}) {
    Database d = open(name);
    const std::string id(1, static_cast<char>('1' + (name[0] - 'a')));
    ASSERT_TRUE(d.store(run(id), {failed("x", 1), exposed(name)}));
  }
  Database left = open("left.db"), right = open("right.db"), bc = open("bc.db");
  for (const char* name : {"a.db", "b.db", "c.db", "b.db"})  // once more adds nothing
    ASSERT_TRUE(left.merge(folder_ + "/" + name));
  for (const char* name : {"c.db", "b.db"}) ASSERT_TRUE(bc.merge(folder_ + "/" + name));
  for (const char* name : {"bc.db", "a.db"}) ASSERT_TRUE(right.merge(folder_ + "/" + name));
  EXPECT_EQ(*left.items("p"), *right.items("p"));
  EXPECT_EQ(*left.runs(""), *right.runs(""));
  EXPECT_EQ(left.items("p")->size(), 4u);
  EXPECT_EQ((*left.items("p"))["x"].failures, 3u);
}

TEST_F(DatabaseTest, PruneForgetsRuns) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {exposed("x")}));
  ASSERT_TRUE(d.store(run("2"), {exposed("y")}));
  ASSERT_TRUE(d.store(run("3", "q"), {exposed("z")}));
  EXPECT_EQ(*d.prune("p", "2026-01-02"), 1u);
  EXPECT_EQ(d.items("p")->size(), 1u);
  EXPECT_EQ(*d.prune("q", ""), 1u);
  EXPECT_THAT(*d.programs(), testing::ElementsAre("p"));
}

TEST_F(DatabaseTest, WhatIsNoDatabaseIsSaidToBeNone) {
  EXPECT_THAT(Database::open(folder_ + "/none.db", false).error(),
              testing::HasSubstr("there is no"));
  std::filesystem::create_directories(folder_);
  FILE* f = std::fopen((folder_ + "/text.db").c_str(), "w");
  std::fputs(
      "this is some text, and longer than a header of a database would be: 100 bytes and more, yes",
      f);
  for (int i = 0; i < 100; ++i) std::fputs("more of it ", f);
  std::fclose(f);
  EXPECT_FALSE(Database::open(folder_ + "/text.db", true));
}

// Processes that write at the same time, each killed in the middle of it: what was stored is there,
// whole runs or nothing.
TEST_F(DatabaseTest, ConcurrentWritersAndKill) {
  {
    const Database made = open();
  }
  constexpr int kWriters = 4, kItems = 50;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t writers[kWriters];
  for (int w = 0; w < kWriters; ++w) {
    writers[w] = fork();
    if (writers[w] == 0) {
      auto d = Database::open(folder_ + "/memo.db", true);
      for (int n = 0; d; ++n) {
        std::vector<Item> items;
        for (int i = 0; i < kItems; ++i) items.push_back(exposed("i" + std::to_string(i)));
        memo::Run r = run("1");
        r.id = std::to_string(w) + "-" + std::to_string(n);
        if (!d->store(r, items)) break;
        if (n == 5 && write(ready[1], "x", 1) != 1) break;
      }
      _exit(1);
    }
  }
  // Each has stored some before any is killed, and is at it when it is.
  for (int w = 0; w < kWriters; ++w) {
    char c;
    ASSERT_EQ(read(ready[0], &c, 1), 1);
  }
  for (const pid_t w : writers) kill(w, SIGKILL);
  for (const pid_t w : writers) {
    int status = 0;
    waitpid(w, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  close(ready[0]);
  close(ready[1]);
  Database d = open();
  auto runs = d.runs("p");
  ASSERT_TRUE(runs) << runs.error();
  EXPECT_GE(runs->size(), 6u * kWriters);
  EXPECT_EQ(d.items("p")->size(), static_cast<std::size_t>(kItems));
  Connection raw = std::move(*Connection::open(folder_ + "/memo.db", false));
  Statement s(raw, "SELECT count(*) FROM said");
  ASSERT_TRUE(s.row());
  EXPECT_EQ(s.number(0), static_cast<long long>(runs->size() * kItems));
  Statement check(raw, "PRAGMA integrity_check");
  ASSERT_TRUE(check.row());
  EXPECT_EQ(check.text(0), "ok");
}

}  // namespace
}  // namespace jostle::memo

// The same tests for both kinds of database. PostgreSQL's take part where JOSTLE_TEST_POSTGRES
// names a server (a URL that ends with a slash: before the databases): tests/memo/memo_test.py
// starts one.
#include "memo/database.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace jostle::memo {
namespace {

enum class Kind { sqlite, postgres };

class DatabaseTest : public testing::TestWithParam<Kind> {
 protected:
  // One folder for each process: tests may run at the same time.
  DatabaseTest() : folder_(testing::TempDir() + "/jostle-memo-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~DatabaseTest() override { std::filesystem::remove_all(folder_); }
  static bool is_postgres() { return GetParam() == Kind::postgres; }

  // The same for the same name, empty at the beginning of a test.
  std::string path(const std::string& name = "memo") {
    if (!is_postgres()) return folder_ + "/" + name + ".db";
    const auto [n, fresh] = numbers_.try_emplace(name, numbers_.size());
    const std::string url =
        std::getenv("JOSTLE_TEST_POSTGRES") + ("test" + std::to_string(n->second));
    if (fresh) {
      auto c = connect(url, true);
      EXPECT_TRUE(c) << c.error();
      EXPECT_TRUE((*c)->execute("DROP SCHEMA IF EXISTS jostle CASCADE")) << (*c)->error();
    }
    return url;
  }
  Database open(const std::string& name = "memo") {
    auto d = Database::open(path(name), true);
    EXPECT_TRUE(d) << d.error();
    return std::move(*d);
  }
  static memo::Run run(const std::string& id, const std::string& program = "p") {
    return {id, program, "input " + id, "2026-01-0" + id, 10, 0.1, 2, 1, "b1"};
  }
  static Item failed(const std::string& id, std::uint64_t n) {
    Item i;
    i.id = id;
    i.metric = "iroot1";
    i.places = "a\nb";
    i.predicted = true;
    i.failures = n;
    return i;
  }
  static Item exposed(const std::string& id) {
    Item i = failed(id, 0);
    i.exposed = true;
    i.schedule = "3:1";
    return i;
  }
  const std::string folder_;
  std::map<std::string, std::size_t> numbers_;
};
std::vector<Kind> kinds() {
  if (!std::getenv("JOSTLE_TEST_POSTGRES")) return {Kind::sqlite};
  return {Kind::sqlite, Kind::postgres};
}
std::string name_of(const testing::TestParamInfo<Kind>& i) {
  return i.param == Kind::sqlite ? "SQLite" : "PostgreSQL";
}
INSTANTIATE_TEST_SUITE_P(All, DatabaseTest, testing::ValuesIn(kinds()), &name_of);

TEST_P(DatabaseTest, AnItemIsWhatAllRunsSayAboutIt) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {failed("x", 2), exposed("y")}));
  ASSERT_TRUE(d.store(run("2"), {failed("x", 3)}));
  auto items = d.items("p");
  ASSERT_TRUE(items) << items.error();
  EXPECT_EQ(items->size(), 2u);
  EXPECT_EQ((*items)["x"].failures, 5u);
  EXPECT_EQ((*items)["x"].first, "2026-01-01");
  EXPECT_FALSE((*items)["x"].exposed);
  EXPECT_TRUE((*items)["y"].exposed);
  EXPECT_EQ((*items)["y"].input, "input 1");
  EXPECT_EQ((*items)["y"].schedule, "3:1");
  EXPECT_EQ((*items)["y"].places, "a\nb");
  EXPECT_TRUE(d.items("other")->empty());
  EXPECT_EQ(*d.runs("p"), (std::vector{run("1"), run("2")}));
}

TEST_P(DatabaseTest, ItemsOfOneBuild) {
  Database d = open();
  memo::Run later = run("2");
  later.build = "b2";
  ASSERT_TRUE(d.store(run("1"), {exposed("x")}));
  ASSERT_TRUE(d.store(later, {exposed("y")}));
  EXPECT_EQ(d.items("p")->size(), 2u);
  EXPECT_EQ(d.items("p", "b2")->begin()->first, "y");
  EXPECT_TRUE(d.items("p", "b3")->empty());
}

// The same run again replaces what it said before.
TEST_P(DatabaseTest, ARunIsStoredAsItGoes) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {failed("x", 2)}));
  ASSERT_TRUE(d.store(run("1"), {failed("x", 4), exposed("y")}));
  EXPECT_EQ((*d.items("p"))["x"].failures, 4u);
  ASSERT_TRUE(d.store(run("1"), {exposed("y")}));
  EXPECT_FALSE(d.items("p")->contains("x"));
  EXPECT_EQ(d.runs("p")->size(), 1u);
}

// Whatever bytes a program is called with.
TEST_P(DatabaseTest, AnyText) {
  Database d = open();
  memo::Run r = run("1");
  r.input = "'; DROP TABLE run; -- \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \\ \"$1\"";
  ASSERT_TRUE(d.store(r, {}));
  EXPECT_EQ((*d.runs("p"))[0].input, r.input);
  r.input = "\xff\xc0\xaf\xed\xa0\x80\xe2\x82";
  auto ok = d.store(r, {});
  ASSERT_TRUE(ok) << ok.error();
  if (is_postgres())
    EXPECT_EQ((*d.runs("p"))[0].input.substr(0, 6), "\xef\xbf\xbd\xef\xbf\xbd");
  else
    EXPECT_EQ((*d.runs("p"))[0].input, r.input);
}

TEST_P(DatabaseTest, PruneForgetsRuns) {
  Database d = open();
  ASSERT_TRUE(d.store(run("1"), {exposed("x")}));
  ASSERT_TRUE(d.store(run("2"), {exposed("y")}));
  ASSERT_TRUE(d.store(run("3", "q"), {exposed("z")}));
  EXPECT_EQ(*d.prune("p", "2026-01-02"), 1u);
  EXPECT_EQ(d.items("p")->size(), 1u);
  EXPECT_EQ(*d.prune("q", ""), 1u);
  EXPECT_THAT(*d.programs(), testing::ElementsAre("p"));
}

TEST_P(DatabaseTest, RankOfWhatIsLeft) {
  Database d = open();
  Item impossible = failed("impossible", 0);
  impossible.infeasible = "never";
  Item pair = failed("pair", 0);
  pair.metric = "pair";
  ASSERT_TRUE(d.store(run("1"), {failed("old", 0), failed("twice", 2), failed("once", 1), pair,
                                 exposed("done"), impossible}));
  ASSERT_TRUE(d.store(run("2"), {failed("young", 0)}));
  std::vector<std::string> order;
  const auto items = *d.items("p");
  for (const Item* i : ranked(items)) order.push_back(i->id);
  EXPECT_THAT(order, testing::ElementsAre("young", "old", "pair", "once", "twice", "impossible"));
}

// Everything of databases made at random, with runs that some have and others have more of, merged
// in any order and grouping, is the same: for each run the latest that any of them has.
TEST_P(DatabaseTest, MergingIsAssociativeAndLosesNothing) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const int rounds = is_postgres() ? 3 : 12;
  for (int round = 0; round < rounds; ++round) {
    std::map<std::string, std::pair<memo::Run, std::vector<Item>>> latest;
    const std::string mark = std::to_string(round);
    const char* const sources[] = {"a", "b", "c"};
    for (const char* name : sources) {
      Database d = open(name + mark);
      for (unsigned n = below(5); n > 0; --n) {
        memo::Run r = run(std::to_string(1 + below(6)), below(2) ? "p" : "q");
        r.program = r.id < "4" ? "p" : "q";
        r.executions = below(3);
        r.seconds = static_cast<double>(r.executions) + 0.1 * below(3);
        // What a run says follows from how far it has come.
        std::mt19937 own(static_cast<unsigned>(r.seconds * 10) * 7 + r.id[0]);
        std::vector<Item> items;
        for (char c = 'm'; c < 'q'; ++c)
          if (own() % 2) items.push_back(own() % 2 ? exposed({c}) : failed({c}, own() % 4));
        ASSERT_TRUE(d.store(r, items));
      }
      const auto runs = *d.runs("");
      for (const memo::Run& r : runs) {
        std::mt19937 own(static_cast<unsigned>(r.seconds * 10) * 7 + r.id[0]);
        std::vector<Item> items;
        for (char c = 'm'; c < 'q'; ++c)
          if (own() % 2) items.push_back(own() % 2 ? exposed({c}) : failed({c}, own() % 4));
        auto& l = latest[r.id];
        if (l.first.id.empty() ||
            std::tie(l.first.executions, l.first.seconds) < std::tie(r.executions, r.seconds))
          l = {r, items};
      }
    }
    const auto merge = [&](const std::string& into, const std::string& from) {
      Database d = open(into + mark), other = open(from + mark);
      auto ok = d.merge(other);
      ASSERT_TRUE(ok) << ok.error();
    };
    for (const char* name : {"a", "b", "c", "b"}) merge("left", name);  // once more adds nothing
    for (const char* name : {"c", "b"}) merge("bc", name);
    for (const char* name : {"bc", "a"}) merge("right", name);
    Database expected = open("expected" + mark);
    for (const auto& [id, l] : latest) ASSERT_TRUE(expected.store(l.first, l.second));
    Database left = open("left" + mark), right = open("right" + mark);
    EXPECT_EQ(*left.runs(""), *expected.runs(""));
    EXPECT_EQ(*right.runs(""), *expected.runs(""));
    for (const char* program : {"p", "q"}) {
      EXPECT_EQ(*left.items(program), *expected.items(program));
      EXPECT_EQ(*right.items(program), *expected.items(program));
    }
    if (is_postgres()) {  // between the two kinds, there and back
      auto file = Database::open(folder_ + "/file" + mark, true);
      ASSERT_TRUE(file) << file.error();
      ASSERT_TRUE(file->merge(left));
      Database back = open("back" + mark);
      ASSERT_TRUE(back.merge(*file));
      EXPECT_EQ(*back.runs(""), *expected.runs(""));
      EXPECT_EQ(*back.items("p"), *expected.items("p"));
      numbers_.clear();  // the next round has the same databases
    }
  }
}

// More than fits into a buffer on the way to a server.
TEST_P(DatabaseTest, ManyItems) {
  Database d = open();
  std::vector<Item> items;
  for (int i = 0; i < 3000; ++i) {
    items.push_back(exposed("item " + std::to_string(i)));
    items.back().schedule = std::string(1000, 's');
  }
  auto ok = d.store(run("1"), items);
  ASSERT_TRUE(ok) << ok.error();
  EXPECT_EQ(d.items("p")->size(), items.size());
  // A failure in the middle leaves what was there before.
  items.push_back(items[700]);
  EXPECT_FALSE(d.store(run("1"), items));
  Database again = std::move(*Database::open(path(), false));
  EXPECT_EQ(again.items("p")->size(), items.size() - 1);
}

TEST_P(DatabaseTest, OfALaterVersion) {
  open();
  auto c = connect(path(), true);
  ASSERT_TRUE((*c)->write_version(99));
  const auto d = Database::open(path(), true);
  ASSERT_FALSE(d);
  EXPECT_THAT(d.error(),
              testing::HasSubstr("was made by a later Jostle (its schema is version 99"));
  long long version = 0;
  ASSERT_TRUE((*c)->read_version(version));
  EXPECT_EQ(version, 99);
}

TEST_P(DatabaseTest, OfAnEarlierVersion) {
  {
    Database d = open();
    ASSERT_TRUE(d.store(run("1"), {exposed("x")}));
  }
  auto c = connect(path(), true);
  ASSERT_TRUE((*c)->execute("ALTER TABLE run DROP COLUMN build")) << (*c)->error();
  ASSERT_TRUE((*c)->write_version(1));
  Database d = open();
  memo::Run expected = run("1");
  expected.build = "";
  EXPECT_EQ(*d.runs(""), std::vector{expected});
  EXPECT_TRUE(d.items("p")->contains("x"));
  EXPECT_TRUE(d.store(run("2"), {}));
}

TEST_P(DatabaseTest, NoneToReadFrom) {
  const auto d = Database::open(path("none"), false);
  ASSERT_FALSE(d);
  EXPECT_THAT(d.error(), testing::HasSubstr("there is no memo"));
  EXPECT_THAT(d.error(), testing::HasSubstr("jostle cover makes one"));
}

// Calls f(0) ... in a process each, which stays until it is killed or ends by itself.
template <class F>
std::vector<pid_t> in_processes(int n, const F& f) {
  std::vector<pid_t> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(fork());
    if (all.back() == 0) _exit(f(i));
  }
  return all;
}

TEST_P(DatabaseTest, MadeByManyAtOnce) {
  const std::string where = path();
  int failed_ones = 0;
  for (const pid_t p : in_processes(8, [&](int i) {
         auto d = Database::open(where, true);
         return d && d->store(run(std::to_string(i)), {exposed("x")}) ? 0 : 1;
       })) {
    int status = 0;
    waitpid(p, &status, 0);
    failed_ones += status != 0;
  }
  EXPECT_EQ(failed_ones, 0);
  EXPECT_EQ(open().runs("p")->size(), 8u);
}

// Processes that write at the same time, each killed in the middle of it: what was stored is there,
// whole runs or nothing.
TEST_P(DatabaseTest, ConcurrentWritersAndKill) {
  open();
  constexpr int kWriters = 4, kItems = 50;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const std::string where = path();
  const auto writers = in_processes(kWriters, [&](int w) {
    auto d = Database::open(where, true);
    for (int n = 0; d; ++n) {
      std::vector<Item> items;
      for (int i = 0; i < kItems; ++i) items.push_back(exposed("i" + std::to_string(i)));
      memo::Run r = run("1");
      r.id = std::to_string(w) + "-" + std::to_string(n);
      if (!d->store(r, items)) break;
      if (n == 5 && write(ready[1], "x", 1) != 1) break;
    }
    return 1;
  });
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
  // Nobody's lock is left; what was under way when its writer died is not there.
  ASSERT_TRUE(d.store(run("9"), {}));
  auto runs = d.runs("p");
  ASSERT_TRUE(runs) << runs.error();
  EXPECT_GE(runs->size(), 6u * kWriters + 1);
  EXPECT_EQ(d.items("p")->size(), static_cast<std::size_t>(kItems));
  auto raw = connect(where, false);
  long long rows = 0;
  ASSERT_TRUE(
      (*raw)->query("SELECT count(*) FROM said", {}, [&](const Cells& c) { rows = c.number(0); }));
  // A server may still have been at a dead writer's last words when the runs were counted.
  EXPECT_EQ(rows % kItems, 0);
  EXPECT_GE(rows, static_cast<long long>((runs->size() - 1) * kItems));
  if (is_postgres()) return;
  ASSERT_TRUE((*raw)->query("PRAGMA integrity_check", {},
                            [&](const Cells& c) { EXPECT_EQ(c.text(0), "ok"); }));
}

class SqliteTest : public DatabaseTest {};
INSTANTIATE_TEST_SUITE_P(Files, SqliteTest, testing::Values(Kind::sqlite), &name_of);

TEST_P(SqliteTest, WhatIsNoDatabaseIsSaidToBeNone) {
  std::filesystem::create_directories(folder_);
  std::string text = "this is some text";
  while (text.size() < 2000) text += ", and longer than the header of a database would be";
  std::ofstream(folder_ + "/text.db") << text;
  const auto d = Database::open(folder_ + "/text.db", true);
  ASSERT_FALSE(d);
  EXPECT_THAT(d.error(), testing::HasSubstr("the file is damaged: move it away"));
  std::ifstream in(folder_ + "/text.db");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST_P(SqliteTest, Damaged) {
  {
    Database d = open();
    std::vector<Item> items;
    for (int i = 0; i < 500; ++i) items.push_back(exposed("item " + std::to_string(i)));
    ASSERT_TRUE(d.store(run("1"), items));
  }
  // Pages in the middle: the header is good.
  {
    std::fstream f(path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = std::filesystem::file_size(path());
    for (std::size_t at = 4096; at + 64 < size; at += 4096) {
      f.seekp(static_cast<std::streamoff>(at));
      f << std::string(64, '\xa5');
    }
  }
  const auto d = Database::open(path(), true);
  const auto items = d ? const_cast<Database&>(*d).items("p") : Error{d.error()};
  ASSERT_FALSE(items);
  EXPECT_THAT(items.error(), testing::HasSubstr("the file is damaged: move it away"));
}

// No room: what cannot be written is said, and what was there stays.
TEST_P(SqliteTest, FullDisk) {
  {
    Database d = open();
    ASSERT_TRUE(d.store(run("1"), {exposed("x")}));
  }
  const std::string where = path();
  const std::string said = folder_ + "/said";
  for (const pid_t p : in_processes(1, [&](int) {
         auto d = Database::open(where, true);
         std::signal(SIGXFSZ, SIG_IGN);
         const rlimit limit = {200'000, 200'000};
         setrlimit(RLIMIT_FSIZE, &limit);
         std::vector<Item> items;
         for (int i = 0; i < 2000; ++i) {
           items.push_back(exposed("item " + std::to_string(i)));
           items.back().schedule = std::string(1000, 's');
         }
         const auto stored = d->store(run("2"), items);
         std::ofstream(said) << stored.error();
         return stored ? 1 : 0;
       })) {
    int status = 0;
    waitpid(p, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::ifstream in(said);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}),
              testing::HasSubstr("cannot be written: "));
  Database d = open();
  EXPECT_EQ(*d.runs(""), std::vector{run("1")});
  EXPECT_TRUE(d.store(run("2"), {exposed("y")}));
}

TEST(Shown, WithoutPassword) {
  EXPECT_EQ(shown("postgresql://ann:secret@host:5432/memo"), "postgresql://ann:***@host:5432/memo");
  EXPECT_EQ(shown("postgresql://ann@host:5432/memo"), "postgresql://ann@host:5432/memo");
  EXPECT_EQ(shown("postgresql://host/memo?user=a&password=secret&x=y"),
            "postgresql://host/memo?user=a&password=***&x=y");
  EXPECT_EQ(shown("some/file.db"), "some/file.db");
}

TEST(Connect, OtherServersAreNotKnown) {
  const auto c = connect("mysql://host/memo", true);
  ASSERT_FALSE(c);
  EXPECT_THAT(c.error(), testing::HasSubstr("postgresql://USER@HOST/DATABASE"));
}

}  // namespace
}  // namespace jostle::memo

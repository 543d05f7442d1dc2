#include "memo/sqlite.h"

#include <sqlite3.h>

#include <filesystem>

#include "memo/library.h"

namespace jostle::memo {
namespace {

// clang-format off
#define JOSTLE_SQLITE(F) \
  F(sqlite3_, open_v2) F(sqlite3_, close_v2) F(sqlite3_, exec) F(sqlite3_, errmsg) \
  F(sqlite3_, busy_timeout) F(sqlite3_, prepare_v2) F(sqlite3_, finalize) F(sqlite3_, reset) \
  F(sqlite3_, bind_text) F(sqlite3_, bind_int64) F(sqlite3_, bind_double) F(sqlite3_, step) \
  F(sqlite3_, column_text) F(sqlite3_, column_bytes) F(sqlite3_, column_int64) \
  F(sqlite3_, column_double)
// clang-format on
JOSTLE_LOADED(Library, "libsqlite3.so.0", JOSTLE_SQLITE)

const Library& library() { return Library::get(); }

constexpr Dialect kDialect = {"TEXT", "INTEGER", "REAL", "STRICT, WITHOUT ROWID",
                              "BEGIN IMMEDIATE"};

class RowOf final : public Cells {
 public:
  explicit RowOf(sqlite3_stmt* s) : s_(s) {}
  std::string text(int column) const override {
    const auto* t = reinterpret_cast<const char*>(library().column_text(s_, column));
    return t ? std::string(t, static_cast<std::size_t>(library().column_bytes(s_, column))) : "";
  }
  long long number(int column) const override { return library().column_int64(s_, column); }
  double real(int column) const override { return library().column_double(s_, column); }

 private:
  sqlite3_stmt* s_;
};

class Sqlite final : public Connection {
 public:
  explicit Sqlite(sqlite3* db) : db_(db) {}
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;
  ~Sqlite() override { library().close_v2(db_); }

  using Connection::execute;
  bool execute(const std::string& sql) override {
    return library().exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK || failed();
  }

  bool execute_all(const std::string& sql, std::span<const Values> rows) override {
    const Statement s(*this, sql);
    if (!s.s) return false;
    for (const Values& row : rows) {
      bind(s.s, row);
      const int r = library().step(s.s);
      library().reset(s.s);
      if (r != SQLITE_DONE && r != SQLITE_ROW) return failed();
    }
    return true;
  }

  bool query(const std::string& sql, const Values& values,
             const std::function<void(const Cells&)>& row) override {
    const Statement s(*this, sql);
    if (!s.s) return false;
    bind(s.s, values);
    const RowOf cells(s.s);
    for (;;) {
      const int r = library().step(s.s);
      if (r == SQLITE_DONE) return true;
      if (r != SQLITE_ROW) return failed();
      row(cells);
    }
  }

  const Dialect& dialect() const override { return kDialect; }
  bool read_version(long long& version) override {
    return query("PRAGMA user_version", {}, [&](const Cells& c) { version = c.number(0); });
  }
  bool write_version(long long version) override {
    return execute("PRAGMA user_version = " + std::to_string(version));
  }
  // Readers then do not wait for writers. It may be refused at once while another process does the
  // same; whoever comes first has done it for all.
  bool prepare() override {
    return library().exec(db_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr) ==
               SQLITE_OK ||
           execute("BEGIN IMMEDIATE; COMMIT; PRAGMA journal_mode = WAL");
  }
  bool begin_making() override { return execute(kDialect.begin); }

 private:
  struct Statement {
    Statement(Sqlite& c, const std::string& sql) {
      if (library().prepare_v2(c.db_, sql.c_str(), -1, &s, nullptr) != SQLITE_OK) c.failed();
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { library().finalize(s); }
    sqlite3_stmt* s = nullptr;
  };

  static void bind(sqlite3_stmt* s, const Values& values) {
    int at = 0;
    for (const Value& v : values) {
      ++at;
      if (const auto* t = std::get_if<std::string>(&v))
        library().bind_text(s, at, t->data(), static_cast<int>(t->size()), SQLITE_TRANSIENT);
      else if (const auto* n = std::get_if<long long>(&v))
        library().bind_int64(s, at, *n);
      else
        library().bind_double(s, at, std::get<double>(v));
    }
  }
  bool failed() { return fail(library().errmsg(db_)); }

  sqlite3* db_;
};

}  // namespace

Expected<std::unique_ptr<Connection>> open_sqlite(const std::string& path, bool create) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (create && !folder.empty()) std::filesystem::create_directories(folder, ignored);
  if (!create && !std::filesystem::exists(path, ignored))
    return Error{"there is no memo database '" + path + "': jostle cover makes one"};
  if (!library().loaded)
    return Error{
        "the memo database needs libsqlite3.so.0 (Debian: libsqlite3-0); --memo none does "
        "without"};
  sqlite3* db = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  if (library().open_v2(path.c_str(), &db, flags, nullptr) != SQLITE_OK) {
    const std::string why = db ? library().errmsg(db) : "out of memory";
    library().close_v2(db);
    return Error{"cannot open the memo database '" + path + "': " + why};
  }
  library().busy_timeout(db, 20'000);
  std::unique_ptr<Connection> c = std::make_unique<Sqlite>(db);
  // A crash of the machine may cost the last runs, a crash of a process costs none. What is no
  // database refuses this, and the next statement, too.
  c->execute("PRAGMA synchronous = NORMAL");
  return c;
}

}  // namespace jostle::memo

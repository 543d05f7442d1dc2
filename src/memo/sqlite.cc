#include "memo/sqlite.h"

#include <dlfcn.h>
#include <sqlite3.h>

namespace jostle::memo {
namespace {

// clang-format off
#define JOSTLE_SQLITE(F) \
  F(open_v2) F(close_v2) F(exec) F(errmsg) F(busy_timeout) F(prepare_v2) F(finalize) F(reset) \
  F(bind_text) F(bind_int64) F(bind_double) F(step) F(column_text) F(column_bytes) \
  F(column_int64) F(column_double)
// clang-format on

struct Library {
#define JOSTLE_FUNCTION(name) decltype(&sqlite3_##name) name = nullptr;
  JOSTLE_SQLITE(JOSTLE_FUNCTION)
#undef JOSTLE_FUNCTION
  bool loaded = false;

  Library() {
    void* const so = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!so) return;
    loaded = true;
#define JOSTLE_FUNCTION(function)                                                   \
  function = reinterpret_cast<decltype(function)>(dlsym(so, "sqlite3_" #function)); \
  loaded &= function != nullptr;
    JOSTLE_SQLITE(JOSTLE_FUNCTION)
#undef JOSTLE_FUNCTION
  }
};

const Library& library() {
  static const Library& l = *new Library;
  return l;
}

}  // namespace

Expected<Connection> Connection::open(const std::string& path, bool create) {
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
  return Connection(db);
}

Connection::~Connection() {
  if (db_) library().close_v2(db_);
}

void Connection::fail() {
  if (error_.empty()) error_ = library().errmsg(db_);
}

bool Connection::execute(const char* sql) {
  if (library().exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  fail();
  return false;
}

Statement::Statement(Connection& c, const char* sql) : connection_(c) {
  if (library().prepare_v2(c.handle(), sql, -1, &s_, nullptr) != SQLITE_OK) c.fail();
}

Statement::~Statement() { library().finalize(s_); }

Statement& Statement::bind(int at, std::string_view text) {
  library().bind_text(s_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::bind(int at, long long number) {
  library().bind_int64(s_, at, number);
  return *this;
}
Statement& Statement::bind(int at, double number) {
  library().bind_double(s_, at, number);
  return *this;
}

bool Statement::row() {
  if (!s_) return false;
  const int r = library().step(s_);
  if (r != SQLITE_ROW && r != SQLITE_DONE) connection_.fail();
  return r == SQLITE_ROW;
}

bool Statement::done() {
  if (!s_) return false;
  const int r = library().step(s_);
  library().reset(s_);
  if (r == SQLITE_DONE) return true;
  connection_.fail();
  return false;
}

void Statement::reset() { library().reset(s_); }

std::string Statement::text(int column) {
  const auto* t = reinterpret_cast<const char*>(library().column_text(s_, column));
  return t ? std::string(t, static_cast<std::size_t>(library().column_bytes(s_, column))) : "";
}
long long Statement::number(int column) { return library().column_int64(s_, column); }
double Statement::real(int column) { return library().column_double(s_, column); }

}  // namespace jostle::memo

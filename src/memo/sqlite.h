// As much of SQLite as the memo database needs, loaded from libsqlite3.so.0 when first used.
#pragma once

#include <string>
#include <string_view>

#include "base/expected.h"

struct sqlite3;
struct sqlite3_stmt;

namespace jostle::memo {

// One connection. Errors are remembered: the first sentence stays until it is asked for.
class Connection {
 public:
  static Expected<Connection> open(const std::string& path, bool create);
  Connection(Connection&& o) noexcept : db_(o.db_) { o.db_ = nullptr; }
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  bool execute(const char* sql);
  const std::string& error() const { return error_; }
  void fail();  // takes the error from the library

  sqlite3* handle() const { return db_; }

 private:
  explicit Connection(sqlite3* db) : db_(db) {}
  sqlite3* db_;
  std::string error_;
};

// One prepared statement; reset by the next bind after a step.
class Statement {
 public:
  Statement(Connection& c, const char* sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(int at, std::string_view text);
  Statement& bind(int at, long long number);
  Statement& bind(int at, double number);
  bool row();   // is there one more?
  bool done();  // for statements without rows; false: see the connection's error
  std::string text(int column);
  long long number(int column);
  double real(int column);
  void reset();

 private:
  Connection& connection_;
  sqlite3_stmt* s_ = nullptr;
};

}  // namespace jostle::memo

// What the memo needs of a database: the same for SQLite and PostgreSQL.
//
// Values stand in statements as $1, $2, ..., in the order in which they first occur: then both
// number them alike. Errors are remembered: the first sentence stays.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/expected.h"

namespace jostle::memo {

using Value = std::variant<std::string, long long, double>;
using Values = std::vector<Value>;

// Where databases differ in the language.
struct Dialect {
  const char* text;     // a type that is ordered by bytes
  const char* integer;  // 64 bits
  const char* real;     // 64 bits
  const char* options;  // after the columns of a table
  const char* begin;    // a transaction that alone may write; others may read
};

// One row of an answer.
class Cells {
 public:
  virtual ~Cells() = default;
  virtual std::string text(int column) const = 0;
  virtual long long number(int column) const = 0;
  virtual double real(int column) const = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;

  // Statements without values, separated by semicolons.
  virtual bool execute(const std::string& sql) = 0;
  // One statement, once for each row of values.
  virtual bool execute_all(const std::string& sql, std::span<const Values> rows) = 0;
  bool execute(const std::string& sql, const Values& row) { return execute_all(sql, {&row, 1}); }
  virtual bool query(const std::string& sql, const Values& values,
                     const std::function<void(const Cells&)>& row) = 0;

  virtual const Dialect& dialect() const = 0;
  // Version of the schema; 0: there is none yet.
  virtual bool read_version(long long& version) = 0;
  virtual bool write_version(long long version) = 0;
  // Before the schema is made, outside of a transaction and inside of it.
  virtual bool prepare() = 0;
  virtual bool begin_making() = 0;

  const std::string& error() const { return error_; }

 protected:
  bool fail(const std::string& why) {
    if (error_.empty()) error_ = why;
    return false;
  }

 private:
  std::string error_;
};

// A file, or postgresql://...; a file is made if there is none and `create` says so.
bool is_url(const std::string& database);
// Without the password: for people to see.
std::string shown(const std::string& database);
Expected<std::unique_ptr<Connection>> connect(const std::string& database, bool create);

}  // namespace jostle::memo

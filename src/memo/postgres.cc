#include "memo/postgres.h"

#include <libpq-fe.h>

#include <cstdio>
#include <cstdlib>

#include "memo/library.h"

namespace jostle::memo {
namespace {

// clang-format off
#define JOSTLE_PQ(F) \
  F(PQ, connectdbParams) F(PQ, finish) F(PQ, status) F(PQ, errorMessage) F(PQ, exec) \
  F(PQ, execParams) F(PQ, clear) F(PQ, resultStatus) F(PQ, resultErrorMessage) F(PQ, ntuples) \
  F(PQ, getvalue) F(PQ, getlength) F(PQ, prepare) F(PQ, sendQueryPrepared) F(PQ, getResult) \
  F(PQ, enterPipelineMode) F(PQ, exitPipelineMode) F(PQ, pipelineSync) F(PQ, setNoticeProcessor) \
  F(PQ, connectionNeedsPassword) F(PQ, connectionUsedPassword)
// clang-format on
JOSTLE_LOADED(Library, "libpq.so.5", JOSTLE_PQ)

const Library& library() { return Library::get(); }

// All of it lives in a schema of its own beside whatever else the database has.
constexpr Dialect kDialect = {"TEXT COLLATE \"C\"", "BIGINT", "DOUBLE PRECISION", "",
                              "BEGIN; LOCK TABLE run IN SHARE ROW EXCLUSIVE MODE"};

// Who makes the schema holds this lock: any number will do, as long as it is always the same.
constexpr const char* kBeginMaking = "BEGIN; SELECT pg_advisory_xact_lock(7165468351)";

// The server takes UTF-8 only; other bytes become U+FFFD.
std::string as_utf8(const std::string& s) {
  std::string out;
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t n = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    bool good = n > 0 && i + n <= s.size() && c != 0;
    for (std::size_t k = 1; good && k < n; ++k) {
      const auto d = static_cast<unsigned char>(s[i + k]);
      good = (d & 0xc0) == 0x80;
      if (k == 1)  // neither overlong nor a surrogate nor beyond the last
        good &= !(c == 0xe0 && d < 0xa0) && !(c == 0xed && d >= 0xa0) && !(c == 0xf0 && d < 0x90) &&
                !(c == 0xf4 && d >= 0x90);
    }
    if (good)
      out.append(s, i, n);
    else
      out += "\xef\xbf\xbd";
    i += good ? n : 1;
  }
  return out;
}

std::string text_of(const Value& v) {
  if (const auto* t = std::get_if<std::string>(&v)) return as_utf8(*t);
  if (const auto* n = std::get_if<long long>(&v)) return std::to_string(*n);
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", std::get<double>(v));
  return text;
}

// One row of values as libpq wants it.
struct Parameters {
  explicit Parameters(const Values& values) {
    for (const Value& v : values) texts.push_back(text_of(v));
    for (const std::string& t : texts) pointers.push_back(t.c_str());
  }
  int count() const { return static_cast<int>(pointers.size()); }
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
};

struct Clear {
  void operator()(PGresult* r) const { library().clear(r); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

class RowOf final : public Cells {
 public:
  explicit RowOf(PGresult* r) : r_(r) {}
  std::string text(int column) const override {
    return {library().getvalue(r_, row, column),
            static_cast<std::size_t>(library().getlength(r_, row, column))};
  }
  long long number(int column) const override {
    return std::strtoll(library().getvalue(r_, row, column), nullptr, 10);
  }
  double real(int column) const override {
    return std::strtod(library().getvalue(r_, row, column), nullptr);
  }
  int row = 0;

 private:
  PGresult* r_;
};

std::string one_line(std::string s) {
  while (!s.empty() && s.back() == '\n') s.pop_back();
  std::string out;
  for (const char c : s) out += c == '\n' || c == '\t' ? ' ' : c;
  return out;
}

class Postgres final : public Connection {
 public:
  explicit Postgres(PGconn* c) : c_(c) {}
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;
  ~Postgres() override { library().finish(c_); }

  using Connection::execute;
  bool execute(const std::string& sql) override {
    return check(Answer(library().exec(c_, sql.c_str())));
  }

  // All rows are on their way before the first answer is waited for.
  bool execute_all(const std::string& sql, std::span<const Values> rows) override {
    if (!check(Answer(library().prepare(c_, "", sql.c_str(), 0, nullptr)))) return false;
    constexpr std::size_t kAtATime =
        200;  // neither side's buffers may fill up with the other waiting
    for (std::size_t at = 0; at < rows.size(); at += kAtATime)
      if (!send(rows.subspan(at, std::min(kAtATime, rows.size() - at)))) return false;
    return true;
  }

  bool query(const std::string& sql, const Values& values,
             const std::function<void(const Cells&)>& row) override {
    const Parameters p(values);
    const Answer a(library().execParams(c_, sql.c_str(), p.count(), nullptr, p.pointers.data(),
                                        nullptr, nullptr, 0));
    if (!check(a)) return false;
    RowOf cells(a.get());
    for (const int n = library().ntuples(a.get()); cells.row < n; ++cells.row) row(cells);
    return true;
  }

  const Dialect& dialect() const override { return kDialect; }
  bool read_version(long long& version) override {
    bool there = false;
    if (!query("SELECT to_regclass('jostle.version') IS NOT NULL", {},
               [&](const Cells& c) { there = c.text(0) == "t"; }))
      return false;
    return !there || query("SELECT version FROM jostle.version", {},
                           [&](const Cells& c) { version = c.number(0); });
  }
  bool write_version(long long version) override {
    return execute(
        "CREATE TABLE IF NOT EXISTS version(version BIGINT NOT NULL);"
        "DELETE FROM version; INSERT INTO version VALUES(" +
        std::to_string(version) + ")");
  }
  bool prepare() override { return true; }
  bool begin_making() override {
    if (!execute(kBeginMaking)) return false;
    // Who may use a schema need not be allowed to make one, and is refused even if there is one.
    bool there = false;
    return query("SELECT to_regnamespace('jostle') IS NOT NULL", {},
                 [&](const Cells& c) { there = c.text(0) == "t"; }) &&
           (there || execute("CREATE SCHEMA jostle"));
  }

  bool check(const Answer& a) {
    const ExecStatusType s = library().resultStatus(a.get());
    if (a && (s == PGRES_COMMAND_OK || s == PGRES_TUPLES_OK || s == PGRES_EMPTY_QUERY ||
              s == PGRES_PIPELINE_SYNC))
      return true;
    const std::string why = a ? library().resultErrorMessage(a.get()) : "";
    return fail(one_line(why.empty() ? library().errorMessage(c_) : why));
  }

 private:
  bool send(std::span<const Values> rows) {
    if (!library().enterPipelineMode(c_)) return fail(one_line(library().errorMessage(c_)));
    bool ok = true;
    for (const Values& row : rows) {
      const Parameters p(row);
      ok = ok &&
           library().sendQueryPrepared(c_, "", p.count(), p.pointers.data(), nullptr, nullptr, 0);
    }
    ok = ok && library().pipelineSync(c_);
    if (!ok) return fail(one_line(library().errorMessage(c_)));
    // Each row's answer ends with none; the last is that of the end.
    for (int none = 0; none < 2;) {
      const Answer a(library().getResult(c_));
      none = a ? 0 : none + 1;
      if (!a) continue;
      const ExecStatusType s = library().resultStatus(a.get());
      if (s == PGRES_PIPELINE_SYNC) break;
      if (s != PGRES_PIPELINE_ABORTED) ok = check(a) && ok;
    }
    library().exitPipelineMode(c_);
    return ok || fail("the server has ended the connection");
  }

  PGconn* c_;
};

// The server's own words, and what can be done about it.
Error refused(PGconn* c, const std::string& url) {
  const std::string why = one_line(library().errorMessage(c));
  std::string advice;
  const auto says = [&](const char* words) { return why.find(words) != std::string::npos; };
  if (library().connectionNeedsPassword(c))
    advice = "the server wants a password: put it into ~/.pgpass or PGPASSWORD";
  else if (library().connectionUsedPassword(c) && says("password authentication failed"))
    advice = "check the user's name and the password, in ~/.pgpass, PGPASSWORD or the URL";
  else if (says("database \"") && says("does not exist"))
    advice = "make it: createdb";
  else if (says("role \"") && says("does not exist"))
    advice = "name another user, postgresql://USER@HOST/DATABASE, or make this one: createuser";
  else if (says("connection to server") || says("could not translate host name") ||
           says("timeout expired"))
    advice =
        "check that the server runs, its name and its port, and that it lets you in (pg_hba.conf)";
  else
    advice = "a URL looks like this: postgresql://USER@HOST:5432/DATABASE";
  return Error{"cannot open the memo database '" + shown(url) + "': " + why + " (" + advice +
               "; --memo none does without)"};
}

}  // namespace

Expected<std::unique_ptr<Connection>> open_postgres(const std::string& url) {
  if (!library().loaded)
    return Error{"the memo database '" + shown(url) +
                 "' needs libpq.so.5 of PostgreSQL 14 or later (Debian: libpq5); --memo FILE does "
                 "without"};
  // What comes before "dbname" is a default that the URL may change.
  const char* const names[] = {"connect_timeout", "fallback_application_name", "dbname",
                               "client_encoding", nullptr};
  const char* const values[] = {"10", "jostle", url.c_str(), "UTF8", nullptr};
  PGconn* const c = library().connectdbParams(names, values, 1);
  if (!c) return Error{"cannot open the memo database '" + shown(url) + "': out of memory"};
  auto connection = std::make_unique<Postgres>(c);
  if (library().status(c) != CONNECTION_OK) return refused(c, url);
  library().setNoticeProcessor(c, [](void*, const char*) {}, nullptr);
  // A lock is waited for as long as SQLite does; whoever vanishes without a word must not keep one.
  if (!connection->execute("SET search_path TO jostle; SET lock_timeout = '20s';"
                           "SET idle_in_transaction_session_timeout = '60s'"))
    return Error{"cannot open the memo database '" + shown(url) + "': " + connection->error()};
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace jostle::memo

#include "memo/database.h"

#include <cstdio>
#include <filesystem>
#include <random>

namespace jostle::memo {
namespace {

// The version of the schema stands in user_version; a database of a later one is not touched.
constexpr long long kVersion = 1;
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS run(
  id TEXT PRIMARY KEY, program TEXT NOT NULL, input TEXT NOT NULL, started TEXT NOT NULL,
  executions INTEGER NOT NULL, seconds REAL NOT NULL, exposed INTEGER NOT NULL,
  fresh INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS said(
  run TEXT NOT NULL, id TEXT NOT NULL, metric TEXT NOT NULL, places TEXT NOT NULL,
  predicted INTEGER NOT NULL, exposed INTEGER NOT NULL, failures INTEGER NOT NULL,
  infeasible TEXT NOT NULL, schedule TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS run_program ON run(program, started, id);
PRAGMA user_version = 1;
)";

// Whatever way it is left, what was begun is undone unless commit() was called.
class Transaction {
 public:
  explicit Transaction(Connection& c) : c_(c), open_(c.execute("BEGIN IMMEDIATE")) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) c_.execute("ROLLBACK");
  }
  bool open() const { return open_; }
  bool commit() {
    if (!c_.execute("COMMIT")) return false;
    open_ = false;
    return true;
  }

 private:
  Connection& c_;
  bool open_;
};

}  // namespace

Error Database::error(const char* what) const {
  return Error{std::string("the memo database cannot be ") + what + ": " + connection_.error()};
}

Expected<Database> Database::open(const std::string& path, bool create) {
  if (path.find("://") != std::string::npos)
    return Error{"'" + path + "': the memo database is a file; servers are not supported yet"};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (create && !folder.empty()) std::filesystem::create_directories(folder, ignored);
  if (!create && !std::filesystem::exists(path, ignored))
    return Error{"there is no memo database '" + path + "': jostle cover makes one"};
  auto connection = Connection::open(path, create);
  if (!connection) return Error{connection.error()};
  Database d(std::move(*connection));
  Connection& c = d.connection_;
  // A crash of the machine may cost the last runs, a crash of a process costs none.
  if (!c.execute("PRAGMA synchronous = NORMAL")) return d.error("read");
  long long version = 0;
  {
    Statement s(c, "PRAGMA user_version");
    if (s.row()) version = s.number(0);
  }
  if (!c.error().empty()) return d.error("read");
  if (version > kVersion)
    return Error{"the memo database '" + path + "' was made by a later Jostle"};
  if (version == kVersion) return d;
  if (!c.execute("PRAGMA journal_mode = WAL")) return d.error("written");
  Transaction t(c);
  if (!t.open() || !c.execute(kSchema) || !t.commit()) return d.error("written");
  return d;
}

Expected<std::map<std::string, Item>> Database::items(const std::string& program) {
  std::map<std::string, Item> out;
  Statement s(connection_,
              "SELECT s.id, s.metric, s.places, s.predicted, s.exposed, s.failures, s.infeasible, "
              "s.schedule, r.input FROM run r JOIN said s ON s.run = r.id WHERE r.program = ? "
              "ORDER BY r.started, r.id");
  s.bind(1, program);
  while (s.row()) {
    Item& i = out[s.text(0)];
    i.id = s.text(0);
    i.metric = s.text(1);
    i.places = s.text(2);
    i.predicted |= s.number(3) != 0;
    if (s.number(4) != 0 && !i.exposed) {
      i.exposed = true;
      i.schedule = s.text(7);
      i.input = s.text(8);
    }
    i.failures += static_cast<std::uint64_t>(s.number(5));
    i.infeasible = s.text(6);
  }
  if (!connection_.error().empty()) return error("read");
  return out;
}

Expected<std::vector<std::string>> Database::programs() {
  std::vector<std::string> out;
  Statement s(connection_, "SELECT DISTINCT program FROM run ORDER BY program");
  while (s.row()) out.push_back(s.text(0));
  if (!connection_.error().empty()) return error("read");
  return out;
}

Expected<std::vector<Run>> Database::runs(const std::string& program) {
  std::vector<Run> out;
  Statement s(connection_,
              "SELECT id, program, input, started, executions, seconds, exposed, fresh FROM run "
              "WHERE ?1 = '' OR program = ?1 ORDER BY started, id");
  s.bind(1, program);
  while (s.row())
    out.push_back({s.text(0), s.text(1), s.text(2), s.text(3),
                   static_cast<std::uint64_t>(s.number(4)), s.real(5),
                   static_cast<std::uint64_t>(s.number(6)),
                   static_cast<std::uint64_t>(s.number(7))});
  if (!connection_.error().empty()) return error("read");
  return out;
}

Expected<bool> Database::store(const Run& run, const std::vector<Item>& items) {
  Transaction t(connection_);
  if (!t.open()) return error("written");
  Statement r(connection_, "INSERT OR REPLACE INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  r.bind(1, run.id).bind(2, run.program).bind(3, run.input).bind(4, run.started);
  r.bind(5, static_cast<long long>(run.executions)).bind(6, run.seconds);
  r.bind(7, static_cast<long long>(run.exposed)).bind(8, static_cast<long long>(run.fresh));
  Statement forget(connection_, "DELETE FROM said WHERE run = ?");
  bool ok = r.done() && forget.bind(1, run.id).done();
  Statement s(connection_, "INSERT OR REPLACE INTO said VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const Item& i : items) {
    s.bind(1, run.id).bind(2, i.id).bind(3, i.metric).bind(4, i.places);
    s.bind(5, static_cast<long long>(i.predicted)).bind(6, static_cast<long long>(i.exposed));
    s.bind(7, static_cast<long long>(i.failures)).bind(8, i.infeasible).bind(9, i.schedule);
    ok = ok && s.done();
  }
  if (!ok || !t.commit()) return error("written");
  return true;
}

Expected<bool> Database::merge(const std::string& path) {
  if (auto other = open(path, false); !other) return Error{other.error()};  // is it one of ours?
  {
    Statement attach(connection_, "ATTACH ? AS other");
    attach.bind(1, path);
    if (!attach.done()) return error("merged");
  }
  Transaction t(connection_);
  if (!t.open() ||
      !connection_.execute("INSERT OR IGNORE INTO run SELECT * FROM other.run;"
                           "INSERT OR IGNORE INTO said SELECT * FROM other.said;") ||
      !t.commit())
    return error("merged");
  connection_.execute("DETACH other");
  return true;
}

Expected<std::uint64_t> Database::prune(const std::string& program, const std::string& before) {
  Transaction t(connection_);
  if (!t.open()) return error("written");
  constexpr const char* kWhich = " WHERE (?1 = '' OR program = ?1) AND (?2 = '' OR started < ?2)";
  std::uint64_t n = 0;
  {
    Statement count(connection_, (std::string("SELECT count(*) FROM run") + kWhich).c_str());
    count.bind(1, program).bind(2, before);
    if (count.row()) n = static_cast<std::uint64_t>(count.number(0));
  }
  Statement said(
      connection_,
      (std::string("DELETE FROM said WHERE run IN (SELECT id FROM run") + kWhich + ")").c_str());
  Statement runs(connection_, (std::string("DELETE FROM run") + kWhich).c_str());
  if (!said.bind(1, program).bind(2, before).done() ||
      !runs.bind(1, program).bind(2, before).done() || !t.commit())
    return error("written");
  return n;
}

std::string unique_id() {
  std::random_device source;
  char text[40];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", source(), source(), source(), source());
  return text;
}

}  // namespace jostle::memo

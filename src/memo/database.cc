#include "memo/database.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <tuple>

namespace jostle::memo {
namespace {

// The version of the schema grows when a Jostle that does not know of it would do harm. A database
// of an earlier one is brought up to date when it is opened, one of a later one is not touched.
//   1: runs and what they say
//   2: the program's build
constexpr long long kVersion = 2;

std::string schema(const Dialect& d) {
  const std::string text = std::string(" ") + d.text + " NOT NULL";
  const std::string integer = std::string(" ") + d.integer + " NOT NULL";
  const std::string real = std::string(" ") + d.real + " NOT NULL";
  return "CREATE TABLE run(id" + text + " PRIMARY KEY, program" + text + ", input" + text +
         ", started" + text + ", executions" + integer + ", seconds" + real + ", exposed" +
         integer + ", fresh" + integer + ", build" + text + " DEFAULT '') " + d.options +
         ";CREATE TABLE said(run" + text + ", id" + text + ", metric" + text + ", places" + text +
         ", predicted" + integer + ", exposed" + integer + ", failures" + integer + ", infeasible" +
         text + ", schedule" + text + ", PRIMARY KEY(run, id)) " + d.options +
         ";CREATE INDEX run_program ON run(program, started, id)";
}

constexpr const char* kRun =
    "id, program, input, started, executions, seconds, exposed, fresh, build";
constexpr const char* kWhich = " WHERE ($1 = '' OR program = $1) AND ($2 = '' OR started < $2)";

// Whatever way it is left, what was begun is undone unless commit() was called.
class Transaction {
 public:
  Transaction(Connection& c, bool open) : c_(c), ok_(open) {}
  explicit Transaction(Connection& c) : Transaction(c, c.execute(c.dialect().begin)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (!done_) c_.execute("ROLLBACK");
  }
  bool ok() const { return ok_; }
  bool commit() { return done_ = c_.execute("COMMIT"); }

 private:
  Connection& c_;
  bool ok_, done_ = false;
};

long long number(std::uint64_t n) { return static_cast<long long>(n); }
std::uint64_t count(long long n) { return static_cast<std::uint64_t>(n); }

// Makes the schema, or brings it up to date; another process may be faster.
bool make(Connection& c) {
  if (!c.prepare()) return false;
  Transaction t(c, c.begin_making());
  long long version = 0;
  if (!t.ok() || !c.read_version(version)) return false;
  if (version == 0 && !c.execute(schema(c.dialect()))) return false;
  if (version == 1 && !c.execute(std::string("ALTER TABLE run ADD COLUMN build ") +
                                 c.dialect().text + " NOT NULL DEFAULT ''"))
    return false;
  return (version >= kVersion || c.write_version(kVersion)) && t.commit();
}

}  // namespace

bool more_promising(const Item& a, const Item& b) {
  const bool doubtful_a = !a.infeasible.empty(), doubtful_b = !b.infeasible.empty();
  return std::tie(doubtful_a, a.failures, b.first, a.metric, a.id) <
         std::tie(doubtful_b, b.failures, a.first, b.metric, b.id);
}

std::vector<const Item*> ranked(const std::map<std::string, Item>& items) {
  std::vector<const Item*> out;
  for (const auto& [id, i] : items)
    if (i.predicted && !i.exposed) out.push_back(&i);
  std::sort(out.begin(), out.end(),
            [](const Item* a, const Item* b) { return more_promising(*a, *b); });
  return out;
}

Error Database::error(const char* what) const {
  std::string advice;
  const std::string& why = connection_->error();
  const auto says = [&](const char* words) { return why.find(words) != std::string::npos; };
  if (says("malformed") || says("not a database"))
    advice = "; the file is damaged: move it away, and jostle cover makes a new one";
  else if (says("disk is full") || says("No space left"))
    advice = "; nothing of it was changed: make room and try again";
  else if (says("locked") || says("lock timeout"))
    advice = "; another process has it: try again";
  else if (says("permission denied") || says("readonly"))
    advice = "; the user may not write there";
  return Error{"the memo database '" + shown(name_) + "' cannot be " + what + ": " + why + advice};
}

Expected<Database> Database::open(const std::string& database, bool create) {
  auto connection = connect(database, create);
  if (!connection) return Error{connection.error()};
  Database d(std::move(*connection), database);
  Connection& c = *d.connection_;
  long long version = 0;
  if (!c.read_version(version)) return d.error("read");
  if (version > kVersion)
    return Error{"the memo database '" + shown(database) +
                 "' was made by a later Jostle (its schema is version " + std::to_string(version) +
                 ", this one knows " + std::to_string(kVersion) +
                 "): use that, or another database"};
  if (version == 0 && !create && is_url(database))
    return Error{"there is no memo in the database '" + shown(database) +
                 "': jostle cover makes one"};
  if (version < kVersion && !make(c)) return d.error("written");
  return d;
}

Expected<std::map<std::string, Item>> Database::items(const std::string& program,
                                                      const std::string& build, Detail detail) {
  std::map<std::string, Item> out;
  const std::string texts = detail == Detail::all ? "s.places, s.schedule, r.input" : "'', '', ''";
  const bool ok = connection_->query(
      "SELECT s.id, s.metric, s.predicted, s.exposed, s.failures, s.infeasible, r.started, " +
          texts +
          " FROM run r JOIN said s ON s.run = r.id "
          "WHERE r.program = $1 AND ($2 = '' OR r.build = $2) ORDER BY r.started, r.id",
      {program, build}, [&](const Cells& row) {
        Item& i = out[row.text(0)];
        if (i.id.empty()) i.first = row.text(6);
        i.id = row.text(0);
        i.metric = row.text(1);
        i.places = row.text(7);
        i.predicted |= row.number(2) != 0;
        if (row.number(3) != 0 && !i.exposed) {
          i.exposed = true;
          i.schedule = row.text(8);
          i.input = row.text(9);
        }
        i.failures += count(row.number(4));
        i.infeasible = row.text(5);
      });
  if (!ok) return error("read");
  return out;
}

Expected<std::vector<std::string>> Database::programs() {
  std::vector<std::string> out;
  if (!connection_->query("SELECT DISTINCT program FROM run ORDER BY program", {},
                          [&](const Cells& row) { out.push_back(row.text(0)); }))
    return error("read");
  return out;
}

Expected<std::vector<Run>> Database::runs(const std::string& program) {
  std::vector<Run> out;
  if (!connection_->query(
          std::string("SELECT ") + kRun + " FROM run" + kWhich + " ORDER BY started, id",
          {program, ""}, [&](const Cells& row) {
            out.push_back({row.text(0), row.text(1), row.text(2), row.text(3), count(row.number(4)),
                           row.real(5), count(row.number(6)), count(row.number(7)), row.text(8)});
          }))
    return error("read");
  return out;
}

// What one run says.
Expected<std::vector<Item>> Database::said(const std::string& run) {
  std::vector<Item> out;
  if (!connection_->query(
          "SELECT id, metric, places, predicted, exposed, failures, infeasible, schedule FROM said "
          "WHERE run = $1 ORDER BY id",
          {run}, [&](const Cells& row) {
            Item i;
            i.id = row.text(0);
            i.metric = row.text(1);
            i.places = row.text(2);
            i.predicted = row.number(3) != 0;
            i.exposed = row.number(4) != 0;
            i.failures = count(row.number(5));
            i.infeasible = row.text(6);
            i.schedule = row.text(7);
            out.push_back(std::move(i));
          }))
    return error("read");
  return out;
}

// In a transaction.
bool Database::replace(const Run& run, const std::vector<Item>& items) {
  std::vector<Values> rows;
  for (const Item& i : items)
    rows.push_back({run.id, i.id, i.metric, i.places, number(i.predicted), number(i.exposed),
                    number(i.failures), i.infeasible, i.schedule});
  Connection& c = *connection_;
  return c.execute("DELETE FROM said WHERE run = $1", {run.id}) &&
         c.execute("DELETE FROM run WHERE id = $1", {run.id}) &&
         c.execute(std::string("INSERT INTO run(") + kRun +
                       ") VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                   {run.id, run.program, run.input, run.started, number(run.executions),
                    run.seconds, number(run.exposed), number(run.fresh), run.build}) &&
         c.execute_all(
             "INSERT INTO said(run, id, metric, places, predicted, exposed, failures, infeasible, "
             "schedule) VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9)",
             rows);
}

Expected<bool> Database::store(const Run& run, const std::vector<Item>& items) {
  Transaction t(*connection_);
  if (!t.ok() || !replace(run, items) || !t.commit()) return error("written");
  return true;
}

Expected<bool> Database::merge(Database& other) {
  const auto theirs = other.runs("");
  if (!theirs) return Error{theirs.error()};
  Transaction t(*connection_);
  if (!t.ok()) return error("written");
  const auto ours = runs("");
  if (!ours) return Error{ours.error()};
  std::map<std::string, const Run*> known;
  for (const Run& r : *ours) known[r.id] = &r;
  for (const Run& r : *theirs) {
    // A run is stored again and again while it goes on, and only grows.
    if (const auto k = known.find(r.id); k != known.end())
      if (std::tie(r.executions, r.seconds) <= std::tie(k->second->executions, k->second->seconds))
        continue;
    const auto items = other.said(r.id);
    if (!items) return Error{items.error()};
    if (!replace(r, *items)) return error("written");
  }
  if (!t.commit()) return error("written");
  return true;
}

Expected<std::uint64_t> Database::prune(const std::string& program, const std::string& before) {
  Connection& c = *connection_;
  Transaction t(c);
  const Values which = {program, before};
  std::uint64_t n = 0;
  if (!t.ok() ||
      !c.query(std::string("SELECT count(*) FROM run") + kWhich, which,
               [&](const Cells& row) { n = count(row.number(0)); }) ||
      !c.execute(std::string("DELETE FROM said WHERE run IN (SELECT id FROM run") + kWhich + ")",
                 which) ||
      !c.execute(std::string("DELETE FROM run") + kWhich, which) || !t.commit())
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

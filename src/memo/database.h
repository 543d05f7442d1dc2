// What was tested so far: which interleavings of a program were exposed, predicted, tried in vain
// or found infeasible, across inputs and builds.
//
// The database is a set of runs, each with what it has to say about items; what is known of an item
// follows from all of them. So merging two databases is the union of two sets: in any order, any
// number of times, it comes to the same, and nothing is lost. A run's rows are written in one
// transaction, in WAL mode: several processes may write, and one may be killed at any moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "memo/sqlite.h"

namespace jostle::memo {

// What one run says about one item, or all of them together.
struct Item {
  std::string id, metric, places;  // places: one a line
  bool predicted = false, exposed = false;
  std::uint64_t failures = 0;   // attempts that failed
  std::string infeasible;       // not "": why, as far as that run knew
  std::string input, schedule;  // that exposed it; departures "decision:choice"
  friend bool operator==(const Item&, const Item&) = default;
};

struct Run {
  std::string id;       // unique in the world
  std::string program;  // name of the program, or of the test
  std::string input, started;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t exposed = 0, fresh = 0;  // items; those that no run before had exposed
  friend bool operator==(const Run&, const Run&) = default;
};

class Database {
 public:
  // Makes it, and its folder, if there is none and `create` says so.
  static Expected<Database> open(const std::string& path, bool create);

  // All that is known of a program's items, by id.
  Expected<std::map<std::string, Item>> items(const std::string& program);
  Expected<std::vector<std::string>> programs();
  Expected<std::vector<Run>> runs(const std::string& program);  // "": of all
  // Enters or replaces the run and what it says.
  Expected<bool> store(const Run& run, const std::vector<Item>& items);
  // Adds everything of another database.
  Expected<bool> merge(const std::string& path);
  // Forgets runs that started before a time ("2026-01-31"), or all of a program; returns how many.
  Expected<std::uint64_t> prune(const std::string& program, const std::string& before);

 private:
  explicit Database(Connection c) : connection_(std::move(c)) {}
  Error error(const char* what) const;
  Connection connection_;
};

std::string unique_id();

}  // namespace jostle::memo

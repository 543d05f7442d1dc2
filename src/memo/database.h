// What was tested so far: which interleavings of a program were exposed, predicted, tried in vain
// or found infeasible, across inputs and builds.
//
// The database is a set of runs, each with what it has to say about items; what is known of an item
// follows from all of them. So merging two databases is the union of two sets: in any order, any
// number of times, it comes to the same, and nothing is lost. Of a run that two have differently,
// because one was copied while it went on, the later is taken as a whole. A run's rows are written
// in one transaction: several processes may write, and one may be killed at any moment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "memo/connection.h"

namespace jostle::memo {

// What one run says about one item, or all of them together.
struct Item {
  std::string id, metric, places;  // places: one a line
  bool predicted = false, exposed = false;
  std::uint64_t failures = 0;   // attempts that failed
  std::string infeasible;       // not "": why, as far as that run knew
  std::string input, schedule;  // that exposed it; departures "decision:choice"
  std::string first;            // of all together: when the first run that knew of it began
  friend bool operator==(const Item&, const Item&) = default;
};

struct Run {
  std::string id;       // unique in the world
  std::string program;  // name of the program, or of the test
  std::string input, started;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::uint64_t exposed = 0, fresh = 0;  // items; those that no run before had exposed
  std::string build;                     // of the program; "": not known
  friend bool operator==(const Run&, const Run&) = default;
};

// What is left to be exposed, the most promising first: what could not be called infeasible before
// what was, what failed less often, what is of younger code (an edited function's items are new
// ones), the simpler idiom.
bool more_promising(const Item& a, const Item& b);
// Those of a program's items in that order.
std::vector<const Item*> ranked(const std::map<std::string, Item>& items);

class Database {
 public:
  // A file or postgresql://...; makes what is missing of it if `create` says so.
  static Expected<Database> open(const std::string& database, bool create);

  // All that is known of a program's items, by id; or what runs of one build know. `brief`: without
  // places, schedules and inputs, which are most of it.
  enum class Detail : std::uint8_t { brief, all };
  Expected<std::map<std::string, Item>> items(const std::string& program,
                                              const std::string& build = "",
                                              Detail detail = Detail::all);
  Expected<std::vector<std::string>> programs();
  Expected<std::vector<Run>> runs(const std::string& program);  // "": of all
  // Enters or replaces the run and what it says.
  Expected<bool> store(const Run& run, const std::vector<Item>& items);
  // Adds everything of another database.
  Expected<bool> merge(Database& other);
  // Forgets runs that started before a time ("2026-01-31"), or all of a program; returns how many.
  Expected<std::uint64_t> prune(const std::string& program, const std::string& before);

 private:
  Database(std::unique_ptr<Connection> c, std::string name)
      : connection_(std::move(c)), name_(std::move(name)) {}
  Error error(const char* what) const;
  bool replace(const Run& run, const std::vector<Item>& items);
  Expected<std::vector<Item>> said(const std::string& run);
  std::unique_ptr<Connection> connection_;
  std::string name_;
};

std::string unique_id();

}  // namespace jostle::memo

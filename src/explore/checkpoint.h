// A check that was stopped can go on: its state is written to a file now and then.
#pragma once

#include "check/checker.h"
#include "explore/attempts.h"
#include "explore/known.h"

namespace jostle::explore {

// What belongs to a check besides the search itself.
struct CheckState {
  checking::Checker& checker;
  Terms& terms;
  Known& known;
  std::vector<std::vector<Deviation>>& race_paths;
  std::uint64_t& total;
  bool& failed;  // an execution has
  // Findings but races, which are known anyway; what was not controlled; the time that it took so
  // far.
  Result& result;
};

class Checkpoint {
 public:
  explicit Checkpoint(const Session& session);

  // False if there is none, or it is of another program, build or search: `why` says which.
  bool load(const CheckState& state, std::string& why) const;
  // Now, or only if the last time is a while ago.
  void save(const CheckState& state);
  void save_now_and_then(const CheckState& state);
  // The check is over.
  void remove() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_, key_;
  double next_;
};

}  // namespace jostle::explore

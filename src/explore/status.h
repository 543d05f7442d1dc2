// What a search over a program shows of itself while it works: a line that changes on a terminal,
// a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace jostle::explore {

class Status {
 public:
  // `shown` false: says nothing.
  explicit Status(bool shown);
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  ~Status();

  // During a round: so many of its executions have been made.
  void during(std::uint64_t executed);
  // Executions and findings so far, and what else there is to say of such a search.
  void so_far(std::uint64_t executions, std::size_t findings, const std::string& rest);
  // The same between rounds.
  void after_round(std::uint64_t executions, std::size_t findings, std::uint64_t behaviours,
                   const std::string& strategies);

 private:
  void show(std::uint64_t executions);

  bool shown_, terminal_;
  double start_, next_, last_new_;
  std::uint64_t before_ = 0, behaviours_ = 0;
  std::size_t findings_ = 0;
  std::string strategies_, rest_;
  bool drawn_ = false;
};

}  // namespace jostle::explore

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
  // A check: executions made, and what else there is to say.
  void checking(std::uint64_t executions, const std::string& rest);
  // Between rounds: all so far.
  void after_round(std::uint64_t executions, std::uint64_t behaviours, std::size_t findings,
                   const std::string& strategies);

 private:
  void show(std::uint64_t executions);

  bool shown_, terminal_;
  double start_, next_, last_new_;
  std::uint64_t before_ = 0, behaviours_ = 0;
  std::size_t findings_ = 0;
  std::string strategies_, checking_;
  bool drawn_ = false;
};

}  // namespace jostle::explore

// Small programs of a language of their own: made at random, executed for real under Jostle, and
// enumerated by brute force. The enumeration knows the dependency table as data, and shares no
// other code with what it is compared with.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace toy {

enum class Do {
  lock,
  unlock,
  try_lock,  // and unlock if it worked
  load,
  store,
  add,
  cas,   // a from b to c
  wait,  // on condition a, holding mutex b
  signal,
  broadcast,
  sem_wait,
  sem_try,
  sem_post,
  read_lock,
  read_unlock,
  write_lock,
  write_unlock,
  try_write_lock,  // and unlock if it worked
  put,             // adds b to plain a, under mutex a
  poll,            // takes mutex a again and again until plain a is at least b
  poll_atomic,     // the same until atomic a is
};

struct Op {
  Do what;
  int a = 0, b = 0, c = 0;
};
using Program = std::vector<std::vector<Op>>;  // by thread

Program random_program(std::uint64_t seed);
// Its threads wait for each other in loops: see reach().
Program random_polling_program(std::uint64_t seed);
std::string to_text(const Program& p);

struct Classes {
  std::uint64_t count = 0;
  std::set<std::string> finals;  // what threads have seen, and what is left, at the end
  bool deadlocks = false;
  bool too_many = false;
  // By the fewest preemptions that an execution of the class needs.
  std::vector<std::uint64_t> by_preemptions;
};
// All interleavings, told apart by the order of dependent operations.
Classes enumerate(const Program& p, std::uint64_t most);

// All states that can be reached, however long that takes: for programs with loops.
struct Reached {
  std::set<std::string> finals;
  bool stuck = false;  // there are states from which no end can be reached
};
Reached reach(const Program& p);

// Executes it with real threads; `final` is called at the end with what enumerate() calls a final
// state.
void execute(const Program& p, void (*final)(const std::string&));

}  // namespace toy

// Z3, for what is left when nothing follows any more: which side of each alternative to take so
// that all orders agree. Loaded from libz3.so.4 when first asked; without it, nothing is decided.
#pragma once

#include <vector>

#include "cover/order.h"

namespace jostle::covering {

struct Edge {
  Point from, to;  // from before to
};
// One of the two holds.
struct Either {
  Edge first, second;
  bool exclusion = false;  // of critical sections
};

struct Solution {
  enum class Answer : std::uint8_t { found, none, unknown } answer = Answer::unknown;
  std::vector<bool> first;  // of each alternative: is it the first that holds?
};

bool solver_there();
// Points of one thread follow each other. The limit is a number of steps of the solver, not a time:
// the same question always has the same answer.
Solution solve(const std::vector<Edge>& edges, const std::vector<Either>& alternatives);

}  // namespace jostle::covering

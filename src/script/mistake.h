// What is thrown through a script.
#pragma once

#include <jostle/script.hpp>
#include <stdexcept>
#include <string>

namespace jostle::scripts {

// It says something that makes no sense: the search ends with an error.
class Mistake : public std::runtime_error {
 public:
  Mistake(const scripting::Place& at, const std::string& what);
};

// The execution that it belongs to is over: unwinds its stack.
struct Over {};

}  // namespace jostle::scripts

// Small programs that a check completes: what their executions can expose is known.
#pragma once

#include <span>
#include <string_view>

namespace programs {

struct Program {
  std::string_view name;
  void (*body)();
  bool heap = false;  // what is shared is there
};
std::span<const Program> all();

}  // namespace programs

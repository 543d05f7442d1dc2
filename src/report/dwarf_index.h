// What one unit of debug information has to offer, found in one pass over it.
#pragma once

#include "report/dwarf.h"

namespace jostle::report::dwarf {

struct UnitIndex {
  struct Function {
    std::uint64_t low, high, entry;
  };
  struct Global {
    std::uint64_t address, entry;
  };
  struct Span {
    std::uint64_t begin, end;  // offsets of entries
  };
  std::vector<Function> functions;  // one for each stretch of code
  std::vector<Global> globals;      // function-local statics too
  std::vector<Span> library;        // what is declared in namespace std

  bool is_library(std::uint64_t entry) const;
};

UnitIndex index_of(const Info& info, const Unit& unit);

}  // namespace jostle::report::dwarf

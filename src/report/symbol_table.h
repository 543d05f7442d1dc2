// All functions and variables that have a name, for looking up by it: of this process, or of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "report/elf_image.h"

namespace jostle::report {

struct NamedObject {
  Address start;
  std::uint64_t size;
  std::string name;  // demangled, complete
};

class SymbolTable {
 public:
  // Reads the symbol tables of the program and of its own libraries, not of the system's.
  SymbolTable();
  // Of these files, as if they were loaded there.
  explicit SymbolTable(std::vector<LoadedObject> objects);

  const std::vector<NamedObject>& functions() const { return functions_; }
  const std::vector<NamedObject>& variables() const { return variables_; }
  // Null if the address is in none.
  const NamedObject* function_at(Address a) const;
  const NamedObject* variable_at(Address a) const;
  // The debug information knows a function of that name, but there is no code of its own for it.
  bool only_inlined(std::string_view name) const;

 private:
  void read(const std::string& path, std::uint64_t base);
  std::vector<LoadedObject> objects_;
  std::vector<NamedObject> functions_, variables_;  // by address
};

// Is `pattern` a name for it? "f", "Class::f", "ns::Class::f(int)", or a regular expression
// "/.../" that is found in the complete name.
bool is_named(std::string_view complete, std::string_view pattern);

}  // namespace jostle::report

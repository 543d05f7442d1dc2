// Names of functions and variables, as scripts use them.
#pragma once

#include <jostle/script.hpp>
#include <memory>
#include <vector>

#include "report/symbol_table.h"
#include "report/symbols.h"

namespace jostle::scripts {

// Where the code of a function begins; several places if the name means several. Programs that are
// started later may have more of them.
class FunctionSet {
 public:
  explicit FunctionSet(const scripting::Function& f) : function_(f) {}
  const std::vector<Address>& starts() const;  // sorted
  bool has(Address a) const;

 private:
  scripting::Function function_;
  mutable std::vector<Address> starts_;
  mutable std::size_t made_for_ = ~std::size_t{0};  // how many files there were
};
// A name that means nothing is a mistake of the script.
using Starts = std::shared_ptr<const FunctionSet>;
Starts find_function(const scripting::Function& f, const scripting::Place& at);
scripting::Range find_variable(const char* name, const scripting::Place& at);

report::Symbols& symbols();
// Of the file that the address is in; see modules.h.
const report::SymbolTable& symbol_table(Address a = 0);

// The function, or the one that was inlined there, file and line.
report::Frame frame_of(std::uint64_t pc);

// "bank.cc:12 in deposit"
std::string place_of(std::uint64_t pc);
// "`balance`", or "the function f"; "" if there is nothing to say.
std::string object_of(std::uint8_t kind, Address a, std::uint32_t size);

// "script.cc:12"
std::string text_of(const scripting::Place& at);

}  // namespace jostle::scripts

// Names of functions and variables, as scripts use them.
#pragma once

#include <jostle/script.hpp>
#include <memory>
#include <vector>

#include "report/symbol_table.h"
#include "report/symbols.h"

namespace jostle::scripts {

// Where the code of a function begins; several places if the name means several. Sorted. A name
// that means nothing is a mistake of the script.
using Starts = std::shared_ptr<const std::vector<Address>>;
Starts find_function(const scripting::Function& f, const scripting::Place& at);
scripting::Range find_variable(const char* name, const scripting::Place& at);

report::Symbols& symbols();
const report::SymbolTable& symbol_table();

// "bank.cc:12 in deposit"
std::string place_of(std::uint64_t pc);
// "`balance`", or "the function f"; "" if there is nothing to say.
std::string object_of(std::uint8_t kind, Address a, std::uint32_t size);

// "script.cc:12"
std::string text_of(const scripting::Place& at);

}  // namespace jostle::scripts

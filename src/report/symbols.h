// From addresses in the code and data of this process to names in the source.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "report/line_table.h"
#include "report/object_code.h"
#include "report/variables.h"

namespace jostle::report {

// One function, at one line. Several frames share a pc where calls were inlined.
struct Frame {
  std::string function;  // demangled, complete; "" = unknown
  std::string file;      // normalised path as the compiler saw it; "" = unknown
  std::uint32_t line = 0;
  bool system = false;  // in a library of the system's
  friend bool operator==(const Frame&, const Frame&) = default;
};

// What reports need to know; tests put a table behind it.
class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  // Frames of a return address, innermost first; may be empty. The reference stays valid.
  virtual const std::vector<Frame>& frames(std::uint64_t return_address) = 0;
  // The variable that covers `address`, and how far into it the address lies; "" if none.
  virtual std::string data_symbol(Address address, std::uint64_t& offset) = 0;
  // What follows the name of that variable if `bytes` bytes at `address` are meant: "[2].lock",
  // "+8", or "" for the whole.
  virtual std::string data_member(Address address, std::uint64_t bytes) = 0;
  // The variable or parameter of a call that covers the address.
  virtual StackVariable stack_variable(const StackFrame& call, Address address,
                                       std::uint64_t bytes) = 0;
};

// The process that calls. Answers are cached. Not thread safe.
// Reads debug information of an object on the first question about its code, so construct freely
// but ask only when there is something to report.
class Symbols final : public SymbolSource {
 public:
  const std::vector<Frame>& frames(std::uint64_t return_address) override;
  std::string data_symbol(Address address, std::uint64_t& offset) override;
  std::string data_member(Address address, std::uint64_t bytes) override;
  StackVariable stack_variable(const StackFrame& call, Address address,
                               std::uint64_t bytes) override;
  // The function of a return address and how far into it that lies, "main+0x1f": the same in every
  // build, as long as that function is. Where no function is known, the object's build and how far
  // into that; "" if that is unknown, too.
  std::string place_in_function(std::uint64_t return_address);

 private:
  struct Symbol {
    std::string name;
    std::uint64_t start = 0;
  };
  Symbol symbol_at(std::uint64_t address);
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;
  std::unordered_map<Address, Symbol> data_;
  ProcessCode code_;
  ProcessLines lines_;
  ProcessVariables variables_;
};

// "_ZN7Account8withdrawEi" -> "Account::withdraw(int)"; other text is returned as it is.
std::string demangle(const char* symbol);

}  // namespace jostle::report

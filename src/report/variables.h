// Names of variables from debug information: of functions that are being called, and the members
// and elements of any variable.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "events/event.h"
#include "events/registers.h"

namespace jostle::report {

struct StackVariable {
  std::string name;   // "" = none is known
  std::string path;   // ".first", "[2]": what lies at the address; "" for the whole
  Address start = 0;  // of the variable
};

// A parameter of a function, or what it returns: an integer or a pointer.
struct Parameter {
  std::string problem;  // not "": it cannot be told, and why
  bool in_memory = false;
  std::uint64_t value = 0;  // its content, or where that is
  std::uint64_t size = 0;
  bool is_signed = false;
};

// One object file. Addresses of code and data are relative to its load base.
class VariableTable {
 public:
  explicit VariableTable(const std::string& path);
  ~VariableTable();
  VariableTable(const VariableTable&) = delete;
  VariableTable& operator=(const VariableTable&) = delete;

  // The variable or parameter, in scope where the call stands, that covers `bytes` at `address`.
  StackVariable on_stack(const StackFrame& call, Address address, std::uint64_t bytes);
  // Of the function that `pc` is in, with the registers there. The name counts if it is not "",
  // else the number.
  Parameter parameter(std::uint64_t pc, const Registers& registers, const std::string& name,
                      unsigned number);
  // What the function that `pc` is in returns: its size and kind. `end`, another place, must be in
  // the same function.
  Parameter result(std::uint64_t pc, std::uint64_t end);
  // What lies `offset` bytes into the static variable at `start`: "[2].lock"; "+8" if unknown.
  std::string member(std::uint64_t start, std::uint64_t offset, std::uint64_t bytes);

 private:
  struct Contents;
  // What is said of a function; without information, `problem` is all.
  template <class Use>
  Parameter with_function(std::uint64_t pc, Use use);
  std::unique_ptr<Contents> contents_;
};

// The same for all objects of this process, each read when first asked for.
class ProcessVariables {
 public:
  StackVariable on_stack(const StackFrame& call, Address address, std::uint64_t bytes);
  std::string member(Address start, std::uint64_t offset, std::uint64_t bytes);
  Parameter parameter(const Registers& registers, const std::string& name, unsigned number);
  Parameter result(std::uint64_t pc, std::uint64_t end);

 private:
  VariableTable* table_of(std::uint64_t address, std::uint64_t& base);
  std::unordered_map<std::string, std::unique_ptr<VariableTable>> objects_;
};

}  // namespace jostle::report

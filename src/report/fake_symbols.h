// A table in place of debug information, for tests of reports.
#pragma once

#include <map>

#include "report/symbols.h"

namespace jostle::report {

class FakeSymbols final : public SymbolSource {
 public:
  struct Variable {
    std::string name;
    std::uint64_t size = 4;
  };
  std::map<std::uint64_t, std::vector<Frame>> code;  // by return address
  std::map<Address, Variable> data;                  // by start address
  std::map<Address, Variable> locals;                // of any call, by start address

  const std::vector<Frame>& frames(std::uint64_t return_address) override {
    return code[return_address];
  }
  std::string data_symbol(Address address, std::uint64_t& offset) override {
    offset = 0;
    auto next = data.upper_bound(address);
    if (next == data.begin()) return "";
    --next;
    if (address - next->first >= next->second.size) return "";
    offset = address - next->first;
    return next->second.name;
  }
  std::string data_member(Address address, std::uint64_t) override {
    std::uint64_t offset = 0;
    data_symbol(address, offset);
    return offset == 0 ? "" : "+" + std::to_string(offset);
  }
  std::string member_prefix;
  StackVariable stack_variable(const StackFrame&, Address address, std::uint64_t) override {
    for (const auto& [start, v] : locals) {
      if (address < start || address - start >= v.size) continue;
      const std::string element = "[" + std::to_string(address - start) + "]";
      return {v.name, address == start ? "" : member_prefix + element, start};
    }
    return {};
  }
};

}  // namespace jostle::report

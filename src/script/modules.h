// The files that other processes have loaded. An address there becomes one that is the same in each
// process and each execution: the number of the file in the upper 16 bits, and how far it is from
// where the file was loaded. What is in no file (heap, stacks) has the number of the process there,
// with the highest bit set.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/line_table.h"
#include "report/symbol_table.h"
#include "report/symbols.h"
#include "report/variables.h"

namespace jostle::scripts {

class Module {
 public:
  Module(std::string path, std::uint64_t number) : path_(std::move(path)), base_(number << 48) {}
  const std::string& path() const { return path_; }
  const report::SymbolTable& symbols() const;
  report::Frame frame(Address return_address) const;
  report::Parameter parameter(Address pc, const Registers& registers, const std::string& name,
                              unsigned number) const;
  report::Parameter result(Address pc, Address end) const;
  // Where the function begins that the place of a hook is in; the place itself if it is in none.
  Address function_start(Address a) const;

 private:
  std::string path_;
  Address base_;
  mutable std::unique_ptr<report::SymbolTable> symbols_;
  mutable std::unique_ptr<report::LineTable> lines_;
  mutable std::unique_ptr<report::VariableTable> variables_;
  mutable std::unordered_map<Address, Address> starts_;
};

class Modules {
 public:
  bool used() const { return used_; }
  void use(bool yes) { used_ = yes; }
  std::size_t count() const { return all_.size(); }
  void each(const std::function<void(const Module&)>& f) const {
    for (const Module& m : all_) f(m);
  }
  // Null: in none, or in this process.
  const Module* at(Address a) const;
  // `process` is any number that stands for the process `pid` until it is forgotten.
  Address canonical(unsigned process, int pid, Address raw);
  Address raw(unsigned process, Address canonical) const;
  void read_maps(unsigned process, int pid);
  void forget(unsigned process) { maps_[process].clear(); }

 private:
  struct Mapping {
    Address first, end, base;
    std::uint64_t module;  // number, from 1
  };
  static constexpr unsigned kProcesses = 256;
  const Mapping* find(unsigned process, Address raw) const;
  std::uint64_t number_of(const std::string& path);

  bool used_ = false;
  std::deque<Module> all_;
  std::vector<Mapping> maps_[kProcesses];
};

Modules& modules();

}  // namespace jostle::scripts

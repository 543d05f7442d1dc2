// File and line of a pc from .debug_line alone.
//
// Why beside libbacktrace: it keeps one list of address ranges of all compilation units and
// assumes that ranges either nest or do not touch. GNU ld lets every unit that lost its copy of
// an inline function claim the kept copy; ranges then overlap, and libbacktrace finds nothing
// for most inline functions and templates of a program of two or more files built without
// -falign-functions. The line table has no such problem. Inlined calls are not in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/elf_image.h"
#include "report/line_program.h"

namespace jostle::report {

// One loaded object. Reads the file once, in the constructor. Anything malformed, compressed or
// missing only makes find() answer false.
class LineTable {
 public:
  explicit LineTable(const std::string& path);

  // `address` is relative to the load base.
  bool find(std::uint64_t address, std::string& file, std::uint32_t& line) const;

 private:
  // A run of machine code with ascending addresses, and the line program that describes it.
  struct Sequence {
    std::uint64_t low, high, program;
  };

  ElfImage image_;
  std::string_view line_;
  DebugStrings strings_;
  std::vector<Sequence> sequences_;
};

// The same for all objects of this process, each read when first asked for.
class ProcessLines {
 public:
  bool find(std::uint64_t pc, std::string& file, std::uint32_t& line);

 private:
  std::unordered_map<std::string, std::unique_ptr<LineTable>> objects_;
};

}  // namespace jostle::report

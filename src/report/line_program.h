// Interprets one line number program of DWARF 2 to 5. Every read is checked: debug information
// may come from any tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/bytes.h"

namespace jostle::report {

struct DebugStrings {
  std::string_view line_str, str;
};

struct LineRow {
  std::uint64_t address = 0;
  std::uint64_t file = 1;
  std::uint64_t line = 1;
  bool end = false;  // the address is the first after the sequence
};

class LineProgram {
 public:
  // `bytes` stands at the start of a program. next() tells where the following one starts.
  LineProgram(Bytes bytes, const DebugStrings& strings);
  bool ok() const { return ok_; }
  std::uint64_t next() const { return next_; }

  // Calls f(row) for each row until it returns false.
  template <class F>
  void run(F f) {
    LineRow row;
    while (ok_ && !in_.done()) {
      bool emit = false;
      step(row, emit);
      if (!emit) continue;
      if (in_.ok() && !f(row)) return;
      if (row.end) row = LineRow{};
    }
  }

  std::string file_name(std::uint64_t index) const;

 private:
  struct Entry {
    std::string_view name;
    std::uint64_t directory = 0;
  };
  void read_header();
  void read_tables_v4();
  std::vector<Entry> read_table_v5();
  std::string_view read_form(std::uint64_t form, std::uint64_t& number);
  void step(LineRow& row, bool& emit);
  void extended(LineRow& row, bool& emit);

  Bytes in_;
  DebugStrings strings_;
  bool ok_ = false;
  std::uint64_t next_ = 0;
  unsigned version_ = 0, offset_size_ = 4;
  unsigned min_length_ = 1, line_range_ = 1, opcode_base_ = 1;
  int line_base_ = 0;
  std::vector<unsigned> lengths_;
  std::vector<std::string_view> directories_;
  std::vector<Entry> files_;
};

}  // namespace jostle::report

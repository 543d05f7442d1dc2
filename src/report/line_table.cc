#include "report/line_table.h"

#include <string_view>

#include "report/line_program.h"

namespace jostle::report {

LineTable::LineTable(const std::string& path)
    : image_(path),
      line_(image_.section(".debug_line")),
      strings_{image_.section(".debug_line_str"), image_.section(".debug_str")} {
  const DebugStrings none;  // names are not needed to find where sequences lie
  for (std::uint64_t at = 0; at < line_.size();) {
    Bytes bytes(line_);
    bytes.seek(at);
    LineProgram program(bytes, none);
    if (program.next() <= at) break;
    bool first = true;
    Sequence s{0, 0, at};
    program.run([&](const LineRow& row) {
      if (first) s.low = row.address;
      first = row.end;
      s.high = row.address;
      if (row.end && s.low < s.high) sequences_.push_back(s);
      return true;
    });
    at = program.next();
  }
}

bool LineTable::find(std::uint64_t address, std::string& file, std::uint32_t& line) const {
  for (const Sequence& s : sequences_) {
    if (address < s.low || address >= s.high) continue;
    Bytes bytes(line_);
    bytes.seek(s.program);
    LineProgram program(bytes, strings_);
    LineRow last;
    bool inside = false, found = false;
    program.run([&](const LineRow& row) {
      // Of several rows at one address the last counts.
      if (inside && last.address <= address && address < row.address) {
        found = true;
        return false;
      }
      inside = !row.end;
      last = row;
      return true;
    });
    if (!found || last.line == 0) continue;
    file = program.file_name(last.file);
    line = static_cast<std::uint32_t>(last.line);
    return !file.empty();
  }
  return false;
}

bool ProcessLines::find(std::uint64_t pc, std::string& file, std::uint32_t& line) {
  const LoadedObject object = loaded_object(pc);
  if (object.path.empty()) return false;
  std::unique_ptr<LineTable>& table = objects_[object.path];
  if (!table) table = std::make_unique<LineTable>(object.path);
  return table->find(pc - object.base, file, line);
}

}  // namespace jostle::report

#include "report/line_program.h"

namespace jostle::report {
namespace {

enum : unsigned {  // DW_LNS_*, DW_LNE_*, DW_LNCT_*, DW_FORM_*: numbers of the standard
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvance = 9,
  kEndSequence = 1,
  kSetAddress = 2,
  kDefineFile = 3,
  kPath = 1,
  kDirectoryIndex = 2,
  kBlock2 = 3,
  kBlock4 = 4,
  kData2 = 5,
  kData4 = 6,
  kData8 = 7,
  kString = 8,
  kBlock = 9,
  kBlock1 = 10,
  kData1 = 11,
  kStrp = 14,
  kUdata = 15,
  kData16 = 30,
  kLineStrp = 31,
};

}  // namespace

LineProgram::LineProgram(Bytes bytes, const DebugStrings& strings) : in_(bytes), strings_(strings) {
  read_header();
}

void LineProgram::read_header() {
  std::uint64_t length = in_.fixed(4);
  if (length == 0xffffffff) {
    offset_size_ = 8;
    length = in_.fixed(8);
  }
  next_ = in_.at() + length;
  if (!in_.ok() || next_ <= in_.at()) return;
  version_ = static_cast<unsigned>(in_.fixed(2));
  if (version_ < 2 || version_ > 5) return;
  if (version_ >= 5) in_.fixed(2);  // sizes of an address and of a segment
  const std::uint64_t header = in_.fixed(offset_size_);
  const std::uint64_t code = in_.at() + header;
  min_length_ = static_cast<unsigned>(in_.fixed(1));
  if (version_ >= 4) in_.fixed(1);  // operations per instruction: 1 on our machines
  in_.fixed(1);                     // default of is_stmt
  line_base_ = static_cast<std::int8_t>(in_.fixed(1));  // NOLINT(bugprone-signed-char-misuse)
  line_range_ = static_cast<unsigned>(in_.fixed(1));
  opcode_base_ = static_cast<unsigned>(in_.fixed(1));
  if (line_range_ == 0 || opcode_base_ == 0) return;
  lengths_.assign(1, 0);
  for (unsigned i = 1; i < opcode_base_; ++i)
    lengths_.push_back(static_cast<unsigned>(in_.fixed(1)));
  if (version_ >= 5) {
    for (const Entry& e : read_table_v5()) directories_.push_back(e.name);
    files_ = read_table_v5();
  } else {
    read_tables_v4();
  }
  in_.limit(next_);
  in_.seek(code);
  ok_ = in_.ok();
}

void LineProgram::read_tables_v4() {
  directories_.emplace_back();  // number 0 is the directory of the compilation: not known here
  for (std::string_view d; !(d = in_.text()).empty();) directories_.push_back(d);
  files_.emplace_back();
  for (std::string_view name; !(name = in_.text()).empty();) {
    files_.push_back({name, in_.uleb()});
    in_.uleb();  // time
    in_.uleb();  // size
  }
}

std::string_view LineProgram::read_form(std::uint64_t form, std::uint64_t& number) {
  number = 0;
  switch (form) {
    case kString:
      return in_.text();
    case kLineStrp:
      return text_at(strings_.line_str, in_.fixed(offset_size_));
    case kStrp:
      return text_at(strings_.str, in_.fixed(offset_size_));
    case kData1:
      number = in_.fixed(1);
      return {};
    case kData2:
      number = in_.fixed(2);
      return {};
    case kData4:
      number = in_.fixed(4);
      return {};
    case kData8:
      number = in_.fixed(8);
      return {};
    case kUdata:
      number = in_.uleb();
      return {};
    case kData16:
      in_.seek(in_.at() + 16);
      return {};
    case kBlock: {
      const std::uint64_t n = in_.uleb();
      in_.seek(in_.at() + n);
      return {};
    }
    case kBlock1: {
      const std::uint64_t n = in_.fixed(1);
      in_.seek(in_.at() + n);
      return {};
    }
    case kBlock2: {
      const std::uint64_t n = in_.fixed(2);
      in_.seek(in_.at() + n);
      return {};
    }
    case kBlock4: {
      const std::uint64_t n = in_.fixed(4);
      in_.seek(in_.at() + n);
      return {};
    }
    default:
      in_.seek(~std::uint64_t{0});
      return {};  // unknown size: give up on this program
  }
}

std::vector<LineProgram::Entry> LineProgram::read_table_v5() {
  struct Field {
    std::uint64_t content, form;
  };
  std::vector<Field> fields(in_.fixed(1));
  for (Field& f : fields) {
    f.content = in_.uleb();
    f.form = in_.uleb();
  }
  std::vector<Entry> table;
  const std::uint64_t count = in_.uleb();
  // Entries without fields would be endless at no cost in bytes.
  for (std::uint64_t i = 0; i < count && in_.ok() && !fields.empty(); ++i) {
    Entry e;
    for (const Field& f : fields) {
      std::uint64_t number = 0;
      const std::string_view text = read_form(f.form, number);
      if (f.content == kPath) e.name = text;
      if (f.content == kDirectoryIndex) e.directory = number;
    }
    table.push_back(e);
  }
  return table;
}

std::string LineProgram::file_name(std::uint64_t index) const {
  if (index >= files_.size()) return {};
  const Entry& e = files_[index];
  if (e.name.starts_with("/") || e.directory >= directories_.size()) return std::string(e.name);
  std::string path(directories_[e.directory]);
  if (e.directory != 0 && !path.starts_with("/") && version_ >= 5)
    path = std::string(directories_[0]) + "/" + path;
  return path.empty() ? std::string(e.name) : path + "/" + std::string(e.name);
}

void LineProgram::step(LineRow& row, bool& emit) {
  const auto op = static_cast<unsigned>(in_.fixed(1));
  if (op >= opcode_base_) {
    const unsigned n = op - opcode_base_;
    row.address += static_cast<std::uint64_t>(n / line_range_) * min_length_;
    row.line += static_cast<std::uint64_t>(line_base_ + static_cast<int>(n % line_range_));
    emit = true;
    return;
  }
  switch (op) {
    case 0:
      extended(row, emit);
      break;
    case kCopy:
      emit = true;
      break;
    case kAdvancePc:
      row.address += in_.uleb() * min_length_;
      break;
    case kAdvanceLine:
      row.line += static_cast<std::uint64_t>(in_.sleb());
      break;
    case kSetFile:
      row.file = in_.uleb();
      break;
    case kConstAddPc:
      row.address += static_cast<std::uint64_t>((255 - opcode_base_) / line_range_) * min_length_;
      break;
    case kFixedAdvance:
      row.address += in_.fixed(2);
      break;
    default:
      for (unsigned i = 0; i < lengths_[op]; ++i) in_.uleb();
  }
}

void LineProgram::extended(LineRow& row, bool& emit) {
  const std::uint64_t length = in_.uleb();
  const std::uint64_t end = in_.at() + length;
  if (length == 0) return;
  switch (in_.fixed(1)) {
    case kEndSequence:
      row.end = true;
      emit = true;
      break;
    case kSetAddress:
      row.address = in_.fixed(static_cast<unsigned>(length - 1));
      break;
    case kDefineFile: {
      const std::string_view name = in_.text();
      files_.push_back({name, in_.uleb()});
      break;
    }
    default:
      break;
  }
  in_.seek(end);
}

}  // namespace jostle::report

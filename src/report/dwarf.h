// The entries of .debug_info, DWARF 2 to 5. Every read is checked: debug information may come from
// any tool. What is damaged, or of a kind not known here (split units, type units), has no answers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "report/bytes.h"
#include "report/elf_image.h"

namespace jostle::report::dwarf {

enum : unsigned {  // DW_TAG_*: numbers of the standard
  kArrayType = 0x01,
  kClassType = 0x02,
  kEnumerationType = 0x04,
  kFormalParameter = 0x05,
  kLexicalBlock = 0x0b,
  kMember = 0x0d,
  kReferenceType = 0x10,
  kPointerType = 0x0f,
  kStructureType = 0x13,
  kTypedef = 0x16,
  kUnionType = 0x17,
  kInheritance = 0x1c,
  kInlinedSubroutine = 0x1d,
  kSubrangeType = 0x21,
  kConstType = 0x26,
  kSubprogram = 0x2e,
  kBaseType = 0x24,
  kVariable = 0x34,
  kVolatileType = 0x35,
  kRestrictType = 0x37,
  kNamespace = 0x39,
  kRvalueReferenceType = 0x42,
  kAtomicType = 0x47,
};
enum : unsigned {  // DW_AT_*
  kAtSibling = 0x01,
  kAtLocation = 0x02,
  kAtName = 0x03,
  kAtByteSize = 0x0b,
  kAtStmtList = 0x10,
  kAtLowPc = 0x11,
  kAtHighPc = 0x12,
  kAtCompDir = 0x1b,
  kAtUpperBound = 0x2f,
  kAtAbstractOrigin = 0x31,
  kAtCount = 0x37,
  kAtMemberLocation = 0x38,
  kAtDeclaration = 0x3c,
  kAtFrameBase = 0x40,
  kAtEncoding = 0x3e,
  kAtSpecification = 0x47,
  kAtType = 0x49,
  kAtRanges = 0x55,
  kAtCallFile = 0x58,
  kAtCallLine = 0x59,
  kAtDataBitOffset = 0x6b,
  kAtLinkageName = 0x6e,
  kAtBitOffset = 0x0c,
  kAtStrOffsetsBase = 0x72,
  kAtAddrBase = 0x73,
  kAtRnglistsBase = 0x74,
  kAtLoclistsBase = 0x8c,
};

struct Sections {
  std::string_view info, abbrev, str, line_str, str_offsets, addr, ranges, rnglists, loc, loclists;
};
Sections sections_of(const ElfImage& image);

// What all entries of one kind have in common.
struct Abbreviation {
  struct Attribute {
    std::uint32_t name, form;
    std::int64_t implicit;
  };
  std::uint64_t code = 0;
  unsigned tag = 0;
  bool children = false;
  bool has_code = false;      // low_pc or ranges
  bool has_location = false;  // one for all places
  std::int32_t bytes = -1;    // of all attributes together; -1 if that varies
  std::vector<Attribute> attributes;
};

struct Unit {
  std::uint64_t start = 0, first = 0, end = 0;  // offsets in .debug_info; first = root entry
  unsigned version = 0, offset_size = 4, address_size = 8;
  const std::vector<Abbreviation>* abbreviations = nullptr;
  std::uint64_t str_offsets = 0, addr = 0, rnglists = 0, loclists = 0;  // bases in those sections
  std::uint64_t low_pc = 0;
};

struct Entry {
  const Unit* unit = nullptr;
  const Abbreviation* kind = nullptr;  // null: there is none
  std::uint64_t offset = 0;
  std::uint64_t attributes = 0;  // where they start
  explicit operator bool() const { return kind != nullptr; }
  unsigned tag() const { return kind ? kind->tag : 0; }
};

enum class Kind : unsigned char {
  none,
  number,
  address,
  text,
  block,           // an expression
  reference,       // `number` is an offset in .debug_info
  section_offset,  // of a list of ranges or locations
  list_index,
};

struct Value {
  Kind kind = Kind::none;
  std::uint64_t number = 0;
  std::string_view text;
  explicit operator bool() const { return kind != Kind::none; }
};

class Info {
 public:
  explicit Info(const Sections& sections);
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;

  const std::vector<Unit>& units() const { return units_; }
  const Sections& sections() const { return sections_; }
  Entry root(const Unit& u) const { return at(u, u.first); }
  Entry at(const Unit& u, std::uint64_t offset) const;  // none at the end of a list of children
  Entry at(std::uint64_t offset) const;

  Value get(const Entry& e, unsigned attribute) const;
  // Of an entry or of what it completes or is an instance of.
  Value inherited(const Entry& e, unsigned attribute) const;
  std::string_view name(const Entry& e) const;  // "" if it has none
  Entry type(const Entry& e) const;

  // Calls f(child) for each until it returns false.
  template <class F>
  void each_child(const Entry& e, F f) const {
    if (!e || !e.kind->children) return;
    for (Entry c = at(*e.unit, end(e)); c; c = at(*c.unit, after(c)))
      if (!f(c)) return;
  }
  // Calls f(entry, depth) for all entries of a unit, in order.
  template <class F>
  void each_entry(const Unit& u, F f) const {
    unsigned depth = 0;
    for (std::uint64_t offset = u.first; offset < u.end;) {
      const Entry e = at(u, offset);
      if (!e) {
        if (!is_null(u, offset) || depth == 0) return;
        --depth;
        ++offset;
        continue;
      }
      f(e, depth);
      depth += e.kind->children;
      const std::uint64_t next = end(e);
      if (next <= offset) return;
      offset = next;
    }
  }

  // Calls f(low, high) for each stretch of code that the entry covers.
  template <class F>
  void each_range(const Entry& e, F f) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    ranges(e, all);
    for (const auto& [low, high] : all)
      if (low < high) f(low, high);
  }
  bool covers(const Entry& e, std::uint64_t pc) const;
  // Where a variable lies, or the frame base, and for which places in the code that holds.
  struct Location {
    std::uint64_t low, high;
    std::string_view expression;
  };
  std::vector<Location> locations(const Entry& e, unsigned attribute) const;
  // Entry number `index` of the unit's table of addresses.
  std::uint64_t address_at(const Unit& u, std::uint64_t index) const;

 private:
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  void read_units();
  void read_bases(Unit& u);
  const std::vector<Abbreviation>& abbreviations(std::uint64_t offset, const Unit& u);
  Value read(Bytes& in, const Unit& u, std::uint64_t form, std::int64_t implicit) const;
  bool is_null(const Unit& u, std::uint64_t offset) const;
  std::uint64_t end(const Entry& e) const;    // where its children, or the next entry, start
  std::uint64_t after(const Entry& e) const;  // where its next sibling starts
  void ranges(const Entry& e, Ranges& out) const;
  void read_ranges_v4(const Unit& u, std::uint64_t offset, Ranges& out) const;
  // Entries of a list of ranges or, with one kind more, of locations: f(low, high, what follows).
  template <class F>
  void each_of_list(const Unit& u, std::string_view section, std::uint64_t offset, bool locations,
                    F f) const;
  void read_ranges_v5(const Unit& u, std::uint64_t offset, Ranges& out) const;
  std::vector<Location> read_locations_v4(const Unit& u, std::uint64_t offset) const;
  std::vector<Location> read_locations_v5(const Unit& u, std::uint64_t offset) const;

  Sections sections_;
  std::vector<Unit> units_;
  std::map<std::pair<std::uint64_t, unsigned>, std::unique_ptr<std::vector<Abbreviation>>> tables_;
};

}  // namespace jostle::report::dwarf

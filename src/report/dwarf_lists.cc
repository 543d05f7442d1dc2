// Lists of address ranges and of locations that hold in ranges.
#include "report/dwarf.h"

namespace jostle::report::dwarf {
namespace {

enum : unsigned {  // DW_RLE_*; DW_LLE_* has one more after 4, see kDefaultLocation
  kEnd = 0,
  kBaseIndex = 1,
  kStartEndIndex = 2,
  kStartIndexLength = 3,
  kOffsetPair = 4,
  kBase = 5,
  kStartEnd = 6,
  kStartLength = 7,
  kDefaultLocation = 5,  // of DW_LLE_*
};
constexpr std::uint64_t kSelectBase = ~std::uint64_t{0}, kEverywhere = ~std::uint64_t{0};

// Where the list is that an attribute means: given outright, or by its number in a table.
std::uint64_t list_offset(const Value& v, std::uint64_t base, std::string_view section,
                          unsigned offset_size) {
  if (v.kind != Kind::list_index) return v.number;
  Bytes in(section);
  in.seek(base);
  in.skip(v.number * offset_size);
  const std::uint64_t offset = in.fixed(offset_size);
  return in.ok() ? base + offset : section.size();
}

}  // namespace

void Info::ranges(const Entry& e, Ranges& out) const {
  const Unit& u = *e.unit;
  if (const Value list = get(e, kAtRanges)) {
    if (u.version >= 5)
      read_ranges_v5(u, list_offset(list, u.rnglists, sections_.rnglists, u.offset_size), out);
    else
      read_ranges_v4(u, list.number, out);
    return;
  }
  const Value low = get(e, kAtLowPc), high = get(e, kAtHighPc);
  if (!low || !high) return;
  out.emplace_back(low.number, high.kind == Kind::address ? high.number : low.number + high.number);
}

void Info::read_ranges_v4(const Unit& u, std::uint64_t offset, Ranges& out) const {
  Bytes in(sections_.ranges);
  in.seek(offset);
  std::uint64_t base = u.low_pc;
  while (!in.done()) {
    const std::uint64_t low = in.fixed(8), high = in.fixed(8);
    if (!in.ok() || (low == 0 && high == 0)) return;
    if (low == kSelectBase)
      base = high;
    else
      out.emplace_back(base + low, base + high);
  }
}

template <class F>
void Info::each_of_list(const Unit& u, std::string_view section, std::uint64_t offset,
                        bool locations, F f) const {
  Bytes in(section);
  in.seek(offset);
  std::uint64_t base = u.low_pc;
  while (!in.done()) {
    std::uint64_t low = 0, high = 0;
    auto kind = static_cast<unsigned>(in.fixed(1));
    const bool everywhere = locations && kind == kDefaultLocation;
    if (locations && kind > kDefaultLocation) --kind;
    if (everywhere) {
      high = kEverywhere;
    } else {
      switch (kind) {
        case kBaseIndex:
          base = address_at(u, in.uleb());
          continue;
        case kBase:
          base = in.fixed(8);
          continue;
        case kStartEndIndex:
          low = address_at(u, in.uleb());
          high = address_at(u, in.uleb());
          break;
        case kStartIndexLength:
          low = address_at(u, in.uleb());
          high = low + in.uleb();
          break;
        case kOffsetPair:
          low = base + in.uleb();
          high = base + in.uleb();
          break;
        case kStartEnd:
          low = in.fixed(8);
          high = in.fixed(8);
          break;
        case kStartLength:
          low = in.fixed(8);
          high = low + in.uleb();
          break;
        default:  // kEnd, or unknown
          return;
      }
    }
    f(low, high, in);
  }
}

void Info::read_ranges_v5(const Unit& u, std::uint64_t offset, Ranges& out) const {
  each_of_list(u, sections_.rnglists, offset, false,
               [&](std::uint64_t low, std::uint64_t high, const Bytes& in) {
                 if (in.ok()) out.emplace_back(low, high);
               });
}

bool Info::covers(const Entry& e, std::uint64_t pc) const {
  bool inside = false;
  each_range(e, [&](std::uint64_t low, std::uint64_t high) {
    inside = inside || (pc >= low && pc < high);
  });
  return inside;
}

std::vector<Info::Location> Info::locations(const Entry& e, unsigned attribute) const {
  const Value v = get(e, attribute);
  if (v.kind == Kind::block) return {{0, kEverywhere, v.text}};
  if (v.kind != Kind::section_offset && v.kind != Kind::list_index) return {};
  const Unit& u = *e.unit;
  if (u.version < 5) return read_locations_v4(u, v.number);
  return read_locations_v5(u, list_offset(v, u.loclists, sections_.loclists, u.offset_size));
}

std::vector<Info::Location> Info::read_locations_v4(const Unit& u, std::uint64_t offset) const {
  std::vector<Location> out;
  Bytes in(sections_.loc);
  in.seek(offset);
  std::uint64_t base = u.low_pc;
  while (!in.done()) {
    const std::uint64_t low = in.fixed(8), high = in.fixed(8);
    if (low == 0 && high == 0) break;
    if (low == kSelectBase) {
      base = high;
      continue;
    }
    const std::string_view expression = in.block(in.fixed(2));
    if (in.ok()) out.push_back({base + low, base + high, expression});
  }
  return out;
}

std::vector<Info::Location> Info::read_locations_v5(const Unit& u, std::uint64_t offset) const {
  std::vector<Location> out;
  each_of_list(u, sections_.loclists, offset, true,
               [&](std::uint64_t low, std::uint64_t high, Bytes& in) {
                 const std::string_view expression = in.block(in.uleb());
                 if (in.ok()) out.push_back({low, high, expression});
               });
  return out;
}

}  // namespace jostle::report::dwarf

#include "report/dwarf.h"

#include <algorithm>

namespace jostle::report::dwarf {
namespace {

enum : unsigned {  // DW_FORM_*: numbers of the standard
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kRefAddr = 0x10,
  kRef1 = 0x11,
  kRef2 = 0x12,
  kRef4 = 0x13,
  kRef8 = 0x14,
  kRefUdata = 0x15,
  kIndirect = 0x16,
  kSecOffset = 0x17,
  kExprloc = 0x18,
  kFlagPresent = 0x19,
  kStrx = 0x1a,
  kAddrx = 0x1b,
  kRefSup4 = 0x1c,
  kStrpSup = 0x1d,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
  kRefSig8 = 0x20,
  kImplicitConst = 0x21,
  kLoclistx = 0x22,
  kRnglistx = 0x23,
  kRefSup8 = 0x24,
  kStrx1 = 0x25,
  kStrx4 = 0x28,
  kAddrx1 = 0x29,
  kAddrx4 = 0x2c,
  kGnuAddrIndex = 0x1f01,
  kGnuStrIndex = 0x1f02,
  kGnuRefAlt = 0x1f20,
  kGnuStrpAlt = 0x1f21,
};
constexpr unsigned kTypeUnit = 2, kSkeleton = 4, kSplitCompile = 5, kSplitType = 6;  // DW_UT_*
constexpr int kMostHops = 16;  // from entry to entry: damaged input may go round in a circle

// Bytes of an attribute; -1 if that varies.
int size_of_form(std::uint64_t form, const Unit& u) {
  switch (form) {
    case kFlagPresent:
    case kImplicitConst:
      return 0;
    case kData1:
    case kFlag:
    case kRef1:
    case kStrx1:
    case kAddrx1:
      return 1;
    case kData2:
    case kRef2:
    case kStrx1 + 1:
    case kAddrx1 + 1:
      return 2;
    case kStrx1 + 2:
    case kAddrx1 + 2:
      return 3;
    case kData4:
    case kRef4:
    case kRefSup4:
    case kStrx4:
    case kAddrx4:
      return 4;
    case kData8:
    case kRef8:
    case kRefSig8:
    case kRefSup8:
      return 8;
    case kData16:
      return 16;
    case kAddr:
      return static_cast<int>(u.address_size);
    case kRefAddr:
      return static_cast<int>(u.version == 2 ? u.address_size : u.offset_size);
    case kStrp:
    case kLineStrp:
    case kStrpSup:
    case kSecOffset:
    case kGnuRefAlt:
    case kGnuStrpAlt:
      return static_cast<int>(u.offset_size);
    default:
      return -1;
  }
}

std::uint64_t unsigned_at(std::string_view section, std::uint64_t offset, unsigned bytes) {
  Bytes in(section);
  in.seek(offset);
  return in.fixed(bytes);
}

}  // namespace

Sections sections_of(const ElfImage& image) {
  const auto s = [&](std::string_view name) { return image.section(name); };
  return {s(".debug_info"),        s(".debug_abbrev"),  s(".debug_str"),    s(".debug_line_str"),
          s(".debug_str_offsets"), s(".debug_addr"),    s(".debug_ranges"), s(".debug_rnglists"),
          s(".debug_loc"),         s(".debug_loclists")};
}

Info::Info(const Sections& sections) : sections_(sections) { read_units(); }

void Info::read_units() {
  for (std::uint64_t at = 0; at < sections_.info.size();) {
    Bytes in(sections_.info);
    in.seek(at);
    Unit u;
    u.start = at;
    std::uint64_t length = in.fixed(4);
    if (length == 0xffffffff) {
      u.offset_size = 8;
      length = in.fixed(8);
    }
    u.end = in.at() + length;
    if (!in.ok() || length == 0 || u.end <= at || u.end > sections_.info.size()) return;
    at = u.end;
    u.version = static_cast<unsigned>(in.fixed(2));
    if (u.version < 2 || u.version > 5) continue;
    std::uint64_t abbreviation_offset = 0;
    if (u.version >= 5) {
      const std::uint64_t type = in.fixed(1);
      u.address_size = static_cast<unsigned>(in.fixed(1));
      abbreviation_offset = in.fixed(u.offset_size);
      if (type == kSkeleton || type == kSplitCompile) in.skip(8);
      if (type == kTypeUnit || type == kSplitType) in.skip(8 + u.offset_size);
    } else {
      abbreviation_offset = in.fixed(u.offset_size);
      u.address_size = static_cast<unsigned>(in.fixed(1));
    }
    if (!in.ok() || u.address_size != 8) continue;
    u.first = in.at();
    u.abbreviations = &abbreviations(abbreviation_offset, u);
    read_bases(u);
    units_.push_back(u);
  }
}

void Info::read_bases(Unit& u) {
  const Entry e = root(u);
  u.str_offsets = get(e, kAtStrOffsetsBase).number;
  u.addr = get(e, kAtAddrBase).number;
  u.rnglists = get(e, kAtRnglistsBase).number;
  u.loclists = get(e, kAtLoclistsBase).number;
  u.low_pc = get(e, kAtLowPc).number;
}

const std::vector<Abbreviation>& Info::abbreviations(std::uint64_t offset, const Unit& u) {
  auto& table = tables_[{offset, u.version * 16 + u.offset_size}];
  if (table) return *table;
  table = std::make_unique<std::vector<Abbreviation>>();
  Bytes in(sections_.abbrev);
  in.seek(offset);
  while (!in.done()) {
    Abbreviation a;
    a.code = in.uleb();
    if (a.code == 0) break;
    a.tag = static_cast<unsigned>(in.uleb());
    a.children = in.fixed(1) != 0;
    a.bytes = 0;
    while (!in.done()) {
      const auto name = static_cast<std::uint32_t>(in.uleb());
      const auto form = static_cast<std::uint32_t>(in.uleb());
      if (name == 0 && form == 0) break;
      const std::int64_t implicit = form == kImplicitConst ? in.sleb() : 0;
      a.attributes.push_back({name, form, implicit});
      const int bytes = size_of_form(form, u);
      a.bytes = a.bytes < 0 || bytes < 0 ? -1 : a.bytes + bytes;
      a.has_code = a.has_code || name == kAtLowPc || name == kAtRanges;
      a.has_location = a.has_location || (name == kAtLocation && form == kExprloc);
    }
    if (in.ok()) table->push_back(std::move(a));
  }
  std::sort(table->begin(), table->end(),
            [](const Abbreviation& a, const Abbreviation& b) { return a.code < b.code; });
  return *table;
}

Entry Info::at(const Unit& u, std::uint64_t offset) const {
  if (offset < u.first || offset >= u.end) return {};
  Bytes in(sections_.info);
  in.limit(u.end);
  in.seek(offset);
  const std::uint64_t code = in.uleb();
  if (!in.ok() || code == 0) return {};
  const std::vector<Abbreviation>& table = *u.abbreviations;
  const Abbreviation* kind = nullptr;
  if (code <= table.size() && table[code - 1].code == code) {
    kind = &table[code - 1];
  } else {
    const auto found =
        std::lower_bound(table.begin(), table.end(), code,
                         [](const Abbreviation& a, std::uint64_t c) { return a.code < c; });
    if (found != table.end() && found->code == code) kind = &*found;
  }
  return {&u, kind, offset, in.at()};
}

Entry Info::at(std::uint64_t offset) const {
  auto u = std::upper_bound(units_.begin(), units_.end(), offset,
                            [](std::uint64_t o, const Unit& x) { return o < x.start; });
  if (u == units_.begin()) return {};
  --u;
  return at(*u, offset);
}

bool Info::is_null(const Unit& u, std::uint64_t offset) const {
  return offset < u.end && sections_.info[offset] == 0;
}

Value Info::read(Bytes& in, const Unit& u, std::uint64_t form, std::int64_t implicit) const {
  const auto offset = [&] { return in.fixed(u.offset_size); };
  const auto indexed_text = [&](std::uint64_t index) {
    const std::uint64_t at =
        unsigned_at(sections_.str_offsets, u.str_offsets + index * u.offset_size, u.offset_size);
    return Value{Kind::text, 0, text_at(sections_.str, at)};
  };
  if (form == kIndirect) {
    form = in.uleb();
    if (form == kIndirect || form == kImplicitConst) in.skip(~0ull);  // nonsense
  }
  switch (form) {
    case kAddr:
      return {Kind::address, in.fixed(u.address_size), {}};
    case kAddrx:
    case kGnuAddrIndex:
      return {Kind::address, address_at(u, in.uleb()), {}};
    case kBlock1:
      return {Kind::block, 0, in.block(in.fixed(1))};
    case kBlock2:
      return {Kind::block, 0, in.block(in.fixed(2))};
    case kBlock4:
      return {Kind::block, 0, in.block(in.fixed(4))};
    case kBlock:
    case kExprloc:
      return {Kind::block, 0, in.block(in.uleb())};
    case kData16:
      return {Kind::block, 0, in.block(16)};
    case kSdata:
      return {Kind::number, static_cast<std::uint64_t>(in.sleb()), {}};
    case kUdata:
      return {Kind::number, in.uleb(), {}};
    case kImplicitConst:
      return {Kind::number, static_cast<std::uint64_t>(implicit), {}};
    case kFlagPresent:
      return {Kind::number, 1, {}};
    case kString:
      return {Kind::text, 0, in.text()};
    case kStrp:
      return {Kind::text, 0, text_at(sections_.str, offset())};
    case kLineStrp:
      return {Kind::text, 0, text_at(sections_.line_str, offset())};
    case kStrx:
    case kGnuStrIndex:
      return indexed_text(in.uleb());
    case kRef1:
      return {Kind::reference, u.start + in.fixed(1), {}};
    case kRef2:
      return {Kind::reference, u.start + in.fixed(2), {}};
    case kRef4:
      return {Kind::reference, u.start + in.fixed(4), {}};
    case kRef8:
      return {Kind::reference, u.start + in.fixed(8), {}};
    case kRefUdata:
      return {Kind::reference, u.start + in.uleb(), {}};
    case kRefAddr:
      return {Kind::reference, in.fixed(u.version == 2 ? u.address_size : u.offset_size), {}};
    case kSecOffset:
      return {Kind::section_offset, offset(), {}};
    case kLoclistx:
    case kRnglistx:
      return {Kind::list_index, in.uleb(), {}};
    default:
      break;
  }
  if (form >= kStrx1 && form <= kStrx4)
    return indexed_text(in.fixed(static_cast<unsigned>(size_of_form(form, u))));
  if (form >= kAddrx1 && form <= kAddrx4)
    return {
        Kind::address, address_at(u, in.fixed(static_cast<unsigned>(size_of_form(form, u)))), {}};
  const int bytes = size_of_form(form, u);
  if (bytes < 0) {
    in.skip(~0ull);  // unknown: nothing after it can be read
    return {};
  }
  const std::uint64_t number = in.fixed(static_cast<unsigned>(bytes));
  // Only in files that are not read.
  if (form == kRefSup4 || form == kRefSup8 || form == kRefSig8 || form == kStrpSup ||
      form == kGnuRefAlt || form == kGnuStrpAlt)
    return {};
  // Before version 4 offsets of lists looked like numbers.
  if (u.version < 4 && (form == kData4 || form == kData8))
    return {Kind::section_offset, number, {}};
  return {Kind::number, number, {}};
}

std::uint64_t Info::end(const Entry& e) const {
  if (e.kind->bytes >= 0) return e.attributes + static_cast<std::uint64_t>(e.kind->bytes);
  Bytes in(sections_.info);
  in.limit(e.unit->end);
  in.seek(e.attributes);
  for (const auto& a : e.kind->attributes) {
    if (const int bytes = size_of_form(a.form, *e.unit); bytes >= 0)
      in.skip(static_cast<std::uint64_t>(bytes));
    else if (a.form == kExprloc || a.form == kBlock)
      in.skip(in.uleb());
    else if (a.form == kString)
      in.text();
    else
      read(in, *e.unit, a.form, a.implicit);
  }
  return in.ok() ? in.at() : e.unit->end;
}

std::uint64_t Info::after(const Entry& e) const {
  if (!e.kind->children) return end(e);
  if (const Value s = get(e, kAtSibling); s.kind == Kind::reference && s.number > e.offset)
    return s.number;
  std::uint64_t offset = end(e);
  for (unsigned depth = 1; depth > 0 && offset < e.unit->end;) {
    const Entry c = at(*e.unit, offset);
    if (!c) {
      if (!is_null(*e.unit, offset)) return e.unit->end;
      --depth;
      ++offset;
      continue;
    }
    const Value s = c.kind->children ? get(c, kAtSibling) : Value();
    if (s.kind == Kind::reference && s.number > c.offset) {
      offset = s.number;
    } else {
      depth += c.kind->children;
      offset = end(c);
    }
  }
  return offset;
}

Value Info::get(const Entry& e, unsigned attribute) const {
  if (!e) return {};
  Bytes in(sections_.info);
  in.limit(e.unit->end);
  in.seek(e.attributes);
  bool has = false;
  for (const auto& a : e.kind->attributes) has = has || a.name == attribute;
  if (!has) return {};
  for (const auto& a : e.kind->attributes) {
    const Value v = read(in, *e.unit, a.form, a.implicit);
    if (!in.ok()) return {};
    if (a.name == attribute) return v;
  }
  return {};
}

Value Info::inherited(const Entry& e, unsigned attribute) const {
  Entry from = e;
  for (int hops = 0; from && hops < kMostHops; ++hops) {
    if (const Value v = get(from, attribute)) return v;
    Value next = get(from, kAtAbstractOrigin);
    if (!next) next = get(from, kAtSpecification);
    if (next.kind != Kind::reference) break;
    from = at(next.number);
  }
  return {};
}

std::string_view Info::name(const Entry& e) const { return inherited(e, kAtName).text; }

Entry Info::type(const Entry& e) const {
  const Value v = inherited(e, kAtType);
  return v.kind == Kind::reference ? at(v.number) : Entry();
}

std::uint64_t Info::address_at(const Unit& u, std::uint64_t index) const {
  return unsigned_at(sections_.addr, u.addr + index * u.address_size, u.address_size);
}

}  // namespace jostle::report::dwarf

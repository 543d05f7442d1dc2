#include "report/dwarf_types.h"

#include <algorithm>

namespace jostle::report::dwarf {
namespace {

constexpr int kMostHops = 64;  // damaged input may go round in a circle

bool is_modifier(unsigned tag) {
  return tag == kTypedef || tag == kConstType || tag == kVolatileType || tag == kRestrictType ||
         tag == kAtomicType;
}

bool is_pointer(unsigned tag) {
  constexpr unsigned kPointerToMember = 0x1f;
  return tag == kPointerType || tag == kReferenceType || tag == kRvalueReferenceType ||
         tag == kPointerToMember;
}

// gcc: "<lambda()>"; clang gives closures no name.
bool is_closure(std::string_view name) { return name.starts_with("<lambda") || name.empty(); }

std::vector<std::uint64_t> extents(const Info& info, const Entry& array) {
  std::vector<std::uint64_t> out;
  info.each_child(array, [&](const Entry& c) {
    if (c.tag() != kSubrangeType) return true;
    if (const Value n = info.get(c, kAtCount); n.kind == Kind::number)
      out.push_back(n.number);
    else if (const Value last = info.get(c, kAtUpperBound); last.kind == Kind::number)
      out.push_back(last.number + 1);
    else
      out.push_back(0);
    return out.size() < 16;
  });
  return out;
}

}  // namespace

Entry Types::plain(Entry type) const {
  for (int hops = 0; is_modifier(type.tag()) && hops < kMostHops; ++hops) type = info_.type(type);
  return type;
}

std::uint64_t Types::size(const Entry& declared, int depth) const {
  const Entry type = plain(declared);
  if (!type || depth > kMostHops) return 0;
  if (const Value v = info_.get(type, kAtByteSize); v.kind == Kind::number) return v.number;
  if (is_pointer(type.tag())) return type.unit->address_size;
  if (type.tag() != kArrayType) return 0;
  std::uint64_t n = size(info_.type(type), depth + 1);
  for (const std::uint64_t e : extents(info_, type))
    if (__builtin_mul_overflow(n, e, &n)) return 0;
  return n;
}

bool Types::array(const Entry& type, std::uint64_t& offset, std::uint64_t bytes,
                  std::string& out) const {
  const std::vector<std::uint64_t> counts = extents(info_, type);
  std::uint64_t stride = size(info_.type(type));
  std::vector<std::uint64_t> strides(counts.size());
  for (std::size_t i = counts.size(); i > 0; --i) {
    strides[i - 1] = stride;
    // An array without a bound is the first dimension, if at all: its stride is still right.
    if (i > 1 && __builtin_mul_overflow(stride, counts[i - 1], &stride)) return false;
  }
  for (const std::uint64_t s : strides) {
    if (s == 0 || bytes > s || offset % s > s - bytes) return false;
    out += "[" + std::to_string(offset / s) + "]";
    offset %= s;
  }
  return !strides.empty();
}

Types::Step Types::step(const Entry& type, std::uint64_t offset, std::uint64_t bytes) const {
  const bool library = is_library_(type);
  const bool closure = is_closure(info_.name(type));
  Step base, member;
  int members = 0;
  info_.each_child(type, [&](const Entry& c) {
    if (c.tag() != kInheritance && c.tag() != kMember) return true;
    if (info_.get(c, kAtDeclaration)) return true;  // a static member
    const Value at = info_.get(c, kAtMemberLocation);
    if (at && at.kind != Kind::number) return true;  // a virtual base: where depends on the object
    const bool bits = info_.get(c, kAtDataBitOffset) || info_.get(c, kAtBitOffset);
    const std::uint64_t start = bits && !at ? info_.get(c, kAtDataBitOffset).number / 8 : at.number;
    const Entry inner = info_.type(c);
    const std::uint64_t length = size(inner);
    if (offset < start || bytes > length || offset - start > length - bytes) return true;
    Step s{inner, info_.name(c), offset - start, false};
    if (c.tag() == kInheritance) {
      s.name = {};
      if (!base.type || length > size(base.type)) base = s;  // an empty one covers a byte, too
      return true;
    }
    if (closure && s.name.starts_with("__")) s.name.remove_prefix(2);  // gcc: captured
    if (library && s.name == "_M_elems") {                             // std::array
      s.name = {};
    } else if (bits || s.name.starts_with("__") || s.name.starts_with("_vptr") ||
               (library && s.name.starts_with("_"))) {
      s.inside = true;
    }
    ++members;
    member = s;
    return true;
  });
  if (members == 1) return member;
  // Of a union, nobody knows which; what the library inherits is part of how it is made.
  if (members > 1 || library) return {{}, {}, 0, true};
  return base;
}

std::string Types::path(Entry type, std::uint64_t offset, std::uint64_t bytes) const {
  std::string out;
  bytes = std::max<std::uint64_t>(bytes, 1);
  for (int hops = 0; hops < kMostHops; ++hops) {
    type = plain(type);
    const unsigned tag = type.tag();
    if (tag == kArrayType) {
      if (!array(type, offset, bytes, out)) break;
      type = info_.type(type);
      continue;
    }
    if (tag != kStructureType && tag != kClassType && tag != kUnionType) break;
    const Step s = step(type, offset, bytes);
    if (s.inside) return out;
    if (!s.type) break;
    if (!s.name.empty()) out += "." + std::string(s.name);
    offset = s.offset;
    type = s.type;
  }
  if (offset != 0) out += "+" + std::to_string(offset);
  return out;
}

}  // namespace jostle::report::dwarf

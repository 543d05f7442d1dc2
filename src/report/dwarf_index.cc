#include "report/dwarf_index.h"

#include <algorithm>

namespace jostle::report::dwarf {
namespace {

constexpr unsigned kOpAddr = 0x03, kOpAddrx = 0xa1;  // DW_OP_*

bool static_address(const Info& info, const Entry& e, std::uint64_t& out) {
  Bytes in(info.get(e, kAtLocation).text);
  const std::uint64_t op = in.fixed(1);
  if (op == kOpAddr)
    out = in.fixed(e.unit->address_size);
  else if (op == kOpAddrx)
    out = info.address_at(*e.unit, in.uleb());
  else
    return false;
  return in.ok() && in.done();
}

}  // namespace

bool UnitIndex::is_library(std::uint64_t entry) const {
  return std::any_of(library.begin(), library.end(),
                     [&](const Span& s) { return entry >= s.begin && entry < s.end; });
}

UnitIndex index_of(const Info& info, const Unit& unit) {
  UnitIndex out;
  unsigned library_depth = 0;  // of the namespace that is open; 0 = none, the root is no namespace
  info.each_entry(unit, [&](const Entry& e, unsigned depth) {
    if (library_depth != 0 && depth <= library_depth) {
      out.library.back().end = e.offset;
      library_depth = 0;
    }
    switch (e.tag()) {
      case kSubprogram:
        if (e.kind->has_code)
          info.each_range(e, [&](std::uint64_t low, std::uint64_t high) {
            out.functions.push_back({low, high, e.offset});
          });
        break;
      case kVariable:
        if (std::uint64_t address; e.kind->has_location && static_address(info, e, address))
          out.globals.push_back({address, e.offset});
        break;
      case kNamespace:
        if (const std::string_view n = info.name(e);
            library_depth == 0 && depth > 0 && (n == "std" || n == "__gnu_cxx")) {
          out.library.push_back({e.offset, unit.end});
          library_depth = depth;
        }
        break;
      default:
        break;
    }
  });
  return out;
}

}  // namespace jostle::report::dwarf

// From an offset into an object to the member or element that lies there.
#pragma once

#include <functional>
#include <string>

#include "report/dwarf.h"

namespace jostle::report::dwarf {

class Types {
 public:
  // Whether an entry is declared in the standard library: what is inside is nobody's business.
  using IsLibrary = std::function<bool(const Entry&)>;
  Types(const Info& info, IsLibrary is_library) : info_(info), is_library_(std::move(is_library)) {}

  // 0 if unknown, as for a type that is only declared.
  std::uint64_t size(const Entry& type) const { return size(type, 0); }

  // What follows the name of an object of this type for `bytes` bytes at `offset` in it:
  // ".first", "[2].lock", "". Goes as deep as all of the bytes lie in one member, but not into
  // types of the standard library or members that are reserved to it: a mutex or an atomic is one
  // thing. "+8" where the type does not tell.
  std::string path(Entry type, std::uint64_t offset, std::uint64_t bytes) const;

  Entry plain(Entry type) const;  // without typedef, const, volatile

 private:
  struct Step {
    Entry type;             // none: it goes no deeper
    std::string_view name;  // "": not to be mentioned (a base class, an anonymous union)
    std::uint64_t offset = 0;
    bool inside = false;  // what is deeper is not to be told
  };
  std::uint64_t size(const Entry& type, int depth) const;
  bool array(const Entry& type, std::uint64_t& offset, std::uint64_t bytes, std::string& out) const;
  Step step(const Entry& type, std::uint64_t offset, std::uint64_t bytes) const;

  const Info& info_;
  IsLibrary is_library_;
};

}  // namespace jostle::report::dwarf

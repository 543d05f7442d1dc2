// Functions, files and lines of the code of one object, inlined calls included, from its own symbol
// table and debug information, unit by unit as they are asked for.
//
// Why beside libbacktrace: it reads the debug information of all loaded objects, Jostle's own and
// the system's included, before it answers anything. That takes longer than many a search.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace jostle::report {

struct Frame;

class ObjectCode {
 public:
  explicit ObjectCode(const std::string& path);
  ~ObjectCode();
  ObjectCode(const ObjectCode&) = delete;
  ObjectCode& operator=(const ObjectCode&) = delete;

  // Addresses are relative to the load base.
  //
  // Adds the frames of an address, innermost first: as the debug information has them.
  void frames(std::uint64_t address, std::vector<Frame>& out);
  // The function or variable that covers the address. False if none.
  struct Symbol {
    std::string_view name;  // as the linker knows it
    std::uint64_t start = 0;
  };
  bool symbol(std::uint64_t address, Symbol& out) const;
  // There is more to be had than this class can read: compressed, or in another file.
  bool has_more() const;
  std::string build_id() const;  // hex; "" if there is none

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

// The same for all objects of this process, each read when first asked for.
class ProcessCode {
 public:
  // Null if the address is in none.
  ObjectCode* of(std::uint64_t address, std::uint64_t& base);

 private:
  std::unordered_map<std::string, std::unique_ptr<ObjectCode>> objects_;
};

}  // namespace jostle::report

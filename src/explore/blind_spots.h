// Code of this process whose accesses to memory nobody sees, because it was compiled without the
// hooks: whatever it shares with threads may make a difference that no search knows of.
#pragma once

#include <string>
#include <vector>

namespace jostle::explore {

// Of a file: source files that objects in it were made of without hooks, from its symbol table,
// where the linker names them. What belongs to Jostle, to the C library or to GoogleTest is left
// out.
struct Parts {
  bool readable = false;      // there is a symbol table that tells
  bool instrumented = false;  // at least one object, or what it needs from other files
  std::vector<std::string> plain;
};
Parts parts_of(const std::string& path);

// All that is loaded now, libraries of the system left out: "queue.cc", "libqueue.so.1".
struct BlindSpots {
  std::vector<std::string> unknown, trusted;  // those that the user answers for
};
// `trusted`: patterns of their names, separated by commas.
BlindSpots blind_spots(const std::string& trusted);

// "queue.cc, pool.cc and 3 more"
std::string in_words(const std::vector<std::string>& names);

}  // namespace jostle::explore

// Names for threads and memory. Raw addresses differ from run to run and tell nobody anything:
// none leaves this file.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/trace.h"
#include "report/symbols.h"

namespace jostle::report {

// "T1"; "?" for kNoThread. T0 is the main thread.
std::string thread_label(ThreadId t);
// With what helps to find it: "T0 (main)", "T2 (worker)", "T3 (0.1.0)" for a thread that was
// not started by main.
std::string thread_title(const Trace& trace, ThreadId t);

// What an object that has no name of its own is called: "mutex", "condition", ..., "object".
std::string_view noun_of(EventKind kind);

class Naming {
 public:
  Naming(const Trace& trace, SymbolSource& symbols);

  // The memory or object at `address`, as event number `event` saw it:
  //   `balance`, `table[2].lock`      a variable, static or of a call that had not returned; a
  //                                   second one of a call with that name is `balance#2`
  //   `heap(list.cc:12)+8`            a heap block, by the line that allocated it; a second
  //                                   block of that line is `heap(list.cc:12)#2`
  //   `mutex A`, `object B`           anything else, lettered in order of appearance
  std::string name(Address address, std::size_t event, EventKind kind = EventKind::point);

  // The same in full: "heap block of 24 bytes from make_node (list.cc:12) +8".
  std::string long_name(Address address, std::size_t event, EventKind kind = EventKind::point);

  // Index of the event that allocated the block; events.size() if it is no known heap block.
  std::size_t allocation(Address address, std::size_t event) const;

 private:
  struct Block {
    Address start;
    std::uint64_t bytes;
    std::size_t event;
    std::uint32_t ordinal;  // among the blocks of its line
  };
  const Block* block_of(Address address, std::size_t event) const;
  std::string lettered(Address address, EventKind kind);
  std::uint32_t bytes_of(Address address, std::size_t event) const;
  bool same_call(const StackFrame& a, const StackFrame& b);
  StackVariable variable_at(Address address, std::size_t event);
  std::string on_stack(Address address, std::size_t event);

  const Trace& trace_;
  SymbolSource& symbols_;
  std::vector<Block> blocks_;  // in order of events
  std::vector<std::string> block_places_;
  std::map<std::string, std::uint32_t> blocks_at_;  // place -> how many
  std::unordered_map<Address, std::string> letters_;
  std::unordered_map<Address, std::vector<std::size_t>> uses_;  // events on stacks
  std::map<std::string, std::vector<Address>> starts_;          // of variables of calls, by name
  std::unordered_map<Address, EventKind> kinds_;  // how objects other than memory are used
};

}  // namespace jostle::report

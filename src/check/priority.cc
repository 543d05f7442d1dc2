#include "check/priority.h"

#include <algorithm>

#include "check/fringe.h"
#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

std::vector<PriorityEntry>& entries() {
  static std::vector<PriorityEntry> e = {
      {"pb", "fewer preemptions first", &make_pb},
      {"mdpor", "what is there to be sure, and not because of a conflict, last", &make_mdpor},
      {"dpor", "what partial-order reduction would take first", &make_dpor},
      {"ss", "what sleep sets would leave out last", &make_ss},
      {"rand", "in random order: by the seed", &make_rand},
      {"method", "method(f,g): departures between these functions first", &make_method, true},
      {"var", "var(x,y): departures at accesses to these variables first", &make_var, true},
      {"recent", "recent(RANGE) or recent(FILE:LINES): changed code first", &make_recent, true},
  };
  return e;
}

}  // namespace

const std::vector<PriorityEntry>& priorities() { return entries(); }

bool register_priority(PriorityEntry entry) {
  for (const PriorityEntry& e : entries())
    if (e.name == entry.name) return false;
  entries().push_back(std::move(entry));
  return true;
}

Expected<std::vector<Priorities>> make_orders(std::string_view text, std::uint64_t seed,
                                              const Code& code) {
  std::vector<Priorities> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    if (out.size() == kMostOrders) return Error{"at most eight orders can take turns"};
    auto made = make_priorities(text.substr(begin, end - begin), seed + out.size(), code);
    if (!made) return Error{made.error()};
    out.push_back(std::move(*made));
    begin = end + 1;
  }
  return out;
}

Expected<Priorities> make_priorities(std::string_view text, std::uint64_t seed, const Code& code) {
  Priorities out;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(",(");
    const std::string_view name = text.substr(0, end);
    std::vector<std::string> arguments;
    if (end != text.npos && text[end] == '(') {
      const std::size_t close = text.find(')', end);
      if (close == text.npos) return Error{"priority '" + std::string(text) + "': a ) is missing"};
      std::string_view list = text.substr(end + 1, close - end - 1);
      while (!list.empty()) {
        const std::size_t comma = list.find(',');
        arguments.emplace_back(list.substr(0, comma));
        list = comma == list.npos ? "" : list.substr(comma + 1);
      }
      text = text.substr(close + 1);
      if (!text.empty() && text[0] == ',') text.remove_prefix(1);
    } else {
      text = end == text.npos ? "" : text.substr(end + 1);
    }
    const PriorityEntry* found = nullptr;
    for (const PriorityEntry& e : entries())
      if (e.name == name) found = &e;
    if (!found) {
      std::string known;
      for (const PriorityEntry& e : entries()) known += (known.empty() ? "" : ", ") + e.name;
      return Error{"there is no priority '" + std::string(name) + "'; there are " + known};
    }
    if (found->names && arguments.empty())
      return Error{"priority '" + std::string(name) + "' needs names: " + found->text};
    if (out.size() == 4) return Error{"at most four priorities can be combined"};
    out.push_back(found->make(arguments, seed, code));
  }
  return out;
}

}  // namespace jostle::checking

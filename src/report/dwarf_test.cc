// Debug information written by hand: what no compiler of ours emits, and nonsense.
#include "report/dwarf.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "report/dwarf_index.h"
#include "report/dwarf_types.h"

namespace jostle::report::dwarf {
namespace {

using namespace std::literals;

std::string number(std::uint64_t v, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? v >> (8 * i) : 0);
  return out;
}

// Abbreviations: 1 = unit with children and str_offsets_base, addr_base; 2 = variable with a name
// by index and an address by index; 3 = base type of a size; 4 = function with ranges; 5 = itself
// as its type.
const std::string kAbbreviations =
    "\x01\x11\x01\x72\x17\x73\x17\x74\x17\x00\x00"
    "\x02\x34\x00\x03\x25\x02\x18\x49\x13\x00\x00"
    "\x03\x24\x00\x0b\x0b\x03\x08\x00\x00"
    "\x04\x2e\x00\x03\x21\x7f\x55\x23\x00\x00"
    "\x05\x16\x00\x49\x13\x00\x00\x00"s;

struct Example {
  std::string abbrev = kAbbreviations;
  std::string info, str = "unused\0counter\0"s, str_offsets, addr, rnglists;

  Example() {
    str_offsets = number(0, 8) + number(7, 4);
    addr = number(0, 8) + number(0x1000, 8) + number(0x2000, 8);
    rnglists = number(0, 12) + number(4, 4) +  // one list, just behind the table
               "\x04\x10\x20"s +               // offsets to 0
               "\x01\x01" + "\x04\x01\x05"s +  // offsets to address 1
               "\x03\x00\x08"s +               // address 0, length
               "\x07"s + number(0x77, 8) + "\x09"s + "\x00"s;
    const std::string root = "\x01"s + number(8, 4) + number(8, 4) + number(12, 4);
    const std::uint64_t variable = 12 + root.size();
    const std::string entries = "\x02\x00\x02\xa1\x00"s + number(variable + 9, 4) +
                                "\x03\x04int\0"s + "\x04\x00"s + "\x05"s +
                                number(variable + 17, 4) + "\0"s;
    const std::string body = number(5, 2) + "\x01\x08"s + number(0, 4) + root + entries;
    info = number(body.size(), 4) + body;
  }
  Sections sections() const {
    Sections s;
    s.info = info;
    s.abbrev = abbrev;
    s.str = str;
    s.str_offsets = str_offsets;
    s.addr = addr;
    s.rnglists = rnglists;
    return s;
  }
};

TEST(Dwarf, NamesAndAddressesByIndex) {
  const Example example;
  const Info info(example.sections());
  ASSERT_EQ(info.units().size(), 1u);
  const UnitIndex index = index_of(info, info.units()[0]);
  ASSERT_EQ(index.globals.size(), 1u);
  EXPECT_EQ(index.globals[0].address, 0x1000u);
  const Entry v = info.at(index.globals[0].entry);
  EXPECT_EQ(info.name(v), "counter");
  const Types types(info, [](const Entry&) { return false; });
  EXPECT_EQ(types.size(info.type(v)), 4u);
  EXPECT_EQ(types.path(info.type(v), 2, 1), "+2");
}

TEST(Dwarf, RangesOfAllKinds) {
  const Example example;
  const Info info(example.sections());
  const UnitIndex index = index_of(info, info.units()[0]);
  ASSERT_EQ(index.functions.size(), 4u);
  const std::pair<std::uint64_t, std::uint64_t> expected[] = {
      {0x10, 0x20}, {0x2001, 0x2005}, {0x1000, 0x1008}, {0x77, 0x80}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(index.functions[i].low, expected[i].first);
    EXPECT_EQ(index.functions[i].high, expected[i].second);
  }
  EXPECT_TRUE(info.covers(info.at(index.functions[0].entry), 0x1007));
  EXPECT_FALSE(info.covers(info.at(index.functions[0].entry), 0x1008));
}

TEST(Dwarf, ATypeThatIsItselfHasNoSize) {
  const Example example;
  const Info info(example.sections());
  const Types types(info, [](const Entry&) { return false; });
  int found = 0;
  info.each_entry(info.units()[0], [&](const Entry& e, unsigned) {
    if (e.tag() != kTypedef) return;
    ++found;
    EXPECT_EQ(types.size(e), 0u);
    EXPECT_EQ(types.path(e, 8, 4), "+8");
  });
  EXPECT_EQ(found, 1);
}

TEST(Dwarf, EveryDamageIsSurvived) {
  const Example good;
  Rng rng(1);
  for (int round = 0; round < 20000; ++round) {
    Example bad = good;
    std::string* parts[] = {&bad.info,        &bad.info, &bad.abbrev,  &bad.abbrev,
                            &bad.str_offsets, &bad.addr, &bad.rnglists};
    for (int i = 0; i <= round % 4; ++i) {
      std::string& part = *parts[rng.below(7)];
      if (part.empty()) continue;
      if (rng.below(8) == 0)
        part.resize(rng.below64(part.size()));
      else
        part[rng.below64(part.size())] = static_cast<char>(rng.next());
    }
    const Info info(bad.sections());
    const Types types(info, [](const Entry&) { return false; });
    for (const Unit& u : info.units()) {
      index_of(info, u);
      info.each_child(info.root(u), [&](const Entry& e) {
        types.path(info.type(e), 8, 4);
        info.locations(e, kAtLocation);
        return true;
      });
    }
  }
}

}  // namespace
}  // namespace jostle::report::dwarf

#include "events/kinds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace jostle {
namespace {

constexpr int kEventKinds = 0
#define JOSTLE_EVENT(name, text, cls) +1
#include "events/event_kinds.def"
#undef JOSTLE_EVENT
    ;
constexpr int kFindingKinds = 1
#define JOSTLE_FINDING(name, text, ends) +1
#include "events/finding_kinds.def"
#undef JOSTLE_FINDING
    ;

TEST(EventKinds, NamesParseBack) {
  std::set<std::string_view> names;
  for (int i = 0; i < kEventKinds; ++i) {
    const auto k = static_cast<EventKind>(i);
    EventKind back = EventKind::free;
    ASSERT_TRUE(parse(name_of(k), back)) << name_of(k);
    EXPECT_EQ(back, k);
    EXPECT_FALSE(text_of(k).empty());
    names.insert(name_of(k));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kEventKinds)) << "each name stands once";
}

TEST(FindingKinds, NamesParseBack) {
  std::set<std::string_view> names;
  for (int i = 0; i < kFindingKinds; ++i) {
    const auto k = static_cast<FindingKind>(i);
    FindingKind back = FindingKind::timeout;
    ASSERT_TRUE(parse(name_of(k), back)) << name_of(k);
    EXPECT_EQ(back, k);
    EXPECT_EQ(name_of(k).find('_'), std::string_view::npos) << "users write dashes: " << name_of(k);
    EXPECT_EQ(text_of(k).empty(), k == FindingKind::none);
    names.insert(name_of(k));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kFindingKinds));
}

TEST(Kinds, UnknownNamesAreRefused) {
  EventKind e = EventKind::yield;
  FindingKind f = FindingKind::crash;
  for (const char* name : {"", "mutex", "MUTEX_LOCK", "mutex_lock ", "exit_code"}) {
    EXPECT_FALSE(parse(name, e)) << name;
    EXPECT_FALSE(parse(name, f)) << name;
  }
  EXPECT_EQ(e, EventKind::yield) << "left alone";
  EXPECT_EQ(f, FindingKind::crash);
}

TEST(Kinds, Classes) {
  EXPECT_EQ(class_of(EventKind::mutex_lock), EventClass::sync);
  EXPECT_EQ(class_of(EventKind::read), EventClass::access);
  EXPECT_EQ(class_of(EventKind::thread_exit), EventClass::note);
  EXPECT_TRUE(ends_execution(FindingKind::deadlock));
  EXPECT_FALSE(ends_execution(FindingKind::race));
}

}  // namespace
}  // namespace jostle

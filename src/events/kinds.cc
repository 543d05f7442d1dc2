#include "events/kinds.h"

#include <cstddef>

namespace jostle {
namespace {

struct EventRow {
  std::string_view name, text;
  EventClass cls;
};
constexpr EventRow kEvents[] = {
#define JOSTLE_EVENT(name, text, cls) {#name, text, EventClass::cls},
#include "events/event_kinds.def"
#undef JOSTLE_EVENT
};

struct FindingRow {
  std::string_view name, text;
  bool ends;
};
constexpr FindingRow kFindings[] = {
    {"none", "", false},
#define JOSTLE_FINDING(name, text, ends) {#name, text, ends},
#include "events/finding_kinds.def"
#undef JOSTLE_FINDING
};

const EventRow& row(EventKind k) { return kEvents[static_cast<std::size_t>(k)]; }
const FindingRow& row(FindingKind k) { return kFindings[static_cast<std::size_t>(k)]; }

}  // namespace

std::string_view name_of(EventKind k) { return row(k).name; }
std::string_view text_of(EventKind k) { return row(k).text; }
EventClass class_of(EventKind k) { return row(k).cls; }

bool parse(std::string_view name, EventKind& out) {
  for (std::size_t i = 0; i < std::size(kEvents); ++i)
    if (kEvents[i].name == name) {
      out = static_cast<EventKind>(i);
      return true;
    }
  return false;
}

std::string_view name_of(FindingKind k) {
  return k == FindingKind::exit_code ? std::string_view("exit-code") : row(k).name;
}
std::string_view text_of(FindingKind k) { return row(k).text; }
bool ends_execution(FindingKind k) { return row(k).ends; }

bool parse(std::string_view name, FindingKind& out) {
  for (std::size_t i = 0; i < std::size(kFindings); ++i)
    if (name_of(static_cast<FindingKind>(i)) == name) {
      out = static_cast<FindingKind>(i);
      return true;
    }
  return false;
}

}  // namespace jostle

// The kinds of events and findings, from their .def files.
#pragma once

#include <cstdint>
#include <string_view>

namespace jostle {

enum class EventKind : std::uint8_t {
#define JOSTLE_EVENT(name, text, cls) name,
#include "events/event_kinds.def"
#undef JOSTLE_EVENT
};

enum class EventClass : std::uint8_t { sync, access, note };

enum class FindingKind : std::uint8_t {
  none,
#define JOSTLE_FINDING(name, text, ends) name,
#include "events/finding_kinds.def"
#undef JOSTLE_FINDING
};

std::string_view name_of(EventKind);
std::string_view text_of(EventKind);
EventClass class_of(EventKind);
// Empty optional-like: returns false if `name` is no kind.
bool parse(std::string_view name, EventKind& out);

std::string_view name_of(FindingKind);  // as users write it: "exit-code", not "exit_code"
std::string_view text_of(FindingKind);
bool ends_execution(FindingKind);
bool parse(std::string_view name, FindingKind& out);

}  // namespace jostle

// One event in a few words: "read balance → 100", "lock mutex A", "create T2".
#pragma once

#include <string>

#include "report/view.h"

namespace jostle::report {

std::string event_text(View& v, std::size_t event);

// A value as the source would write it, as far as its size tells: "-1", "100", "&balance".
std::string value_text(View& v, std::uint64_t value, std::uint32_t size, std::size_t event);

// The operation of a kind as a verb for a sentence about its object: "read", "written",
// "locked", "signalled".
std::string_view participle(EventKind kind);
// For a sentence about its thread: "reads", "writes", "locks", "waits on".
std::string_view verb(EventKind kind);

}  // namespace jostle::report

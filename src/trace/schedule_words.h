// The vocabulary of a schedule file, shared by its writer and its reader.
#pragma once

#include <string_view>

#include "events/schedule.h"

namespace jostle {

struct TextKey {
  std::string_view name;
  std::string Schedule::* member;
};
inline constexpr TextKey kTextKeys[] = {
    {"tool", &Schedule::tool_version}, {"program", &Schedule::program},
    {"test", &Schedule::test},         {"build-id", &Schedule::build_id},
    {"finding", &Schedule::finding},   {"message", &Schedule::message},
    {"place", &Schedule::place},       {"backend", &Schedule::backend},
};

struct BoundKey {
  std::string_view name;
  std::uint32_t Bounds::* member;
  bool may_be_left_out = false;  // where it is what it is by default
};
inline constexpr BoundKey kBoundKeys[] = {
    {"spurious", &Bounds::spurious}, {"weak-cas", &Bounds::weak_cas},
    {"timeouts", &Bounds::timeouts}, {"max-steps", &Bounds::max_steps},
    {"patience", &Bounds::patience}, {"retries", &Bounds::retries, true},
};

inline constexpr std::string_view kPreempts[] = {"sync", "race", "all"};
inline constexpr std::string_view kChoices[] = {"thread", "waiter", "weak-cas"};

constexpr std::string_view name_of(Preempt p) { return kPreempts[static_cast<std::size_t>(p)]; }
constexpr std::string_view name_of(ChoiceKind c) { return kChoices[static_cast<std::size_t>(c)]; }

}  // namespace jostle

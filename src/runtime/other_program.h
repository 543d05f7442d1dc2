// A program that a process of the execution becomes, or starts: can it be controlled, and how is it
// told to take part? See family.h.
#pragma once

namespace jostle::other_program {

enum class Kind {
  missing,       // it cannot be started at all
  free,          // static, setuid or of another kind: nothing can be loaded into it
  controllable,  // with Jostle's library loaded before its own
  linked,        // it has been linked with it
};
Kind kind_of(const char* path);
inline bool can_be_controlled(Kind k) { return k == Kind::controllable || k == Kind::linked; }
// As posix_spawnp() and the like look it up; "" if it is nowhere, or the name is too long.
struct Found {
  char path[4096];
};
Found find(const char* name);

// What it is told, besides its own environment: options, and which library to load. Call it while
// the environment is what `jostle run` has made it.
void remember(const char* const* environment);
// `own`, with the request to take part in it. In memory that stays until the next call.
inline constexpr const char* kFamily = "JOSTLE_INTERNAL_FAMILY";
char** environment(char* const* own, bool linked, const char* request);

}  // namespace jostle::other_program

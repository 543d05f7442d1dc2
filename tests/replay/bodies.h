// Bodies that use much of what a schedule can decide. Instrumented; see bodies.cc.
#pragma once

#include <string>

namespace jostle_test {

struct Body {
  const char* name;
  const char* finding;  // kind, or "" if it cannot fail
  void (*call)();
};

extern const Body kBodies[];
extern const int kBodyCount;

inline const Body* find_body(const std::string& name) {
  for (int i = 0; i < kBodyCount; ++i)
    if (name == kBodies[i].name) return &kBodies[i];
  return nullptr;
}

}  // namespace jostle_test

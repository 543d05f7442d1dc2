// Parts of programs for measuring coverage: correct code in which threads meet in many places, some
// of them rarely.
#pragma once

#include <thread>

namespace jostle_bench {

struct CoverSubject {
  const char* name;
  void (*body)();
  const CoverSubject* next;

  CoverSubject(const char* subject, void (*f)());
};
// All that are linked into this program, in no particular order.
inline const CoverSubject*& cover_subjects() {
  static const CoverSubject* first = nullptr;
  return first;
}
inline CoverSubject::CoverSubject(const char* subject, void (*f)())
    : name(subject), body(f), next(cover_subjects()) {
  cover_subjects() = this;
}

}  // namespace jostle_bench

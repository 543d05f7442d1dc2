// One test program = one file with one JOSTLE_CASE. The file's path says what it is
// (tests/verdict/{pass,fail}/<primitive>/name.cc, tests/zoo/name.cc); the macro says which
// verdict Jostle must reach: "pass", or the kind of the finding.
//
// The body is ordinary code: std::thread, pthreads, atomics. It is executed thousands of times
// in one process, so it builds its own state: objects live inside the body (or are reset at its
// start), and every thread it starts is joined, unless the case is about not doing so.
#pragma once

#include <jostle/jostle.h>

#include <cassert>
#include <cstddef>

namespace jostle_test {

struct Case {
  const char* file;    // __FILE__ of the case
  const char* expect;  // "pass" or a finding kind: assertion, crash, exception, deadlock, ...
  void (*body)();
  Case* next;
};

// All cases linked into this binary, in no particular order.
Case*& cases();

struct Registrar {
  Case entry;
  Registrar(const char* file, const char* expect, void (*body)())
      : entry{file, expect, body, cases()} {
    cases() = &entry;
  }
};

}  // namespace jostle_test

#define JOSTLE_CASE(expect)                                                                 \
  static void jostle_case_body();                                                           \
  static jostle_test::Registrar jostle_case_registrar{__FILE__, expect, &jostle_case_body}; \
  static void jostle_case_body()

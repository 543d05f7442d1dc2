// Programs with a known bug, after table 1 of the CONCURRIT paper (PLDI 2013), each with scripts
// that lead to it: from little knowledge to the exact schedule.
#pragma once

#include <jostle/jostle.h>

#include <jostle/script.hpp>
#include <thread>
#include <vector>

namespace jostle_bench {

struct SubjectScript {
  const char* pattern;  // the paper's name for it
  int functions;        // that it names; 0: all
  int points;           // JOSTLE_POINTs that it uses
  int lines;
  int threads;  // that it controls
  void (*script)();
};

struct ScriptedSubject {
  const char* name;
  const char* bug;
  const char* finding;  // its kind
  void (*body)();
  std::vector<SubjectScript> scripts;
  const ScriptedSubject* next = nullptr;
};

// All that are linked into this program, in no particular order.
const ScriptedSubject*& scripted_subjects();

struct EnlistScripted {
  ScriptedSubject subject;
  explicit EnlistScripted(ScriptedSubject s) : subject(std::move(s)) {
    subject.next = scripted_subjects();
    scripted_subjects() = &subject;
  }
};

template <class... F>
void on_threads(F... f) {
  std::thread threads[] = {std::thread(f)...};
  for (std::thread& t : threads) t.join();
}

}  // namespace jostle_bench

// A script, and how many lines it has: END_SCRIPT(name) comes on the line after the closing brace.
#define SCRIPT(name)                 \
  enum { name##_begins = __LINE__ }; \
  void name()
#define END_SCRIPT(name) \
  enum { name##_lines = __LINE__ - name##_begins > 2 ? __LINE__ - name##_begins - 2 : 1 };

#define NOINLINE [[gnu::noinline]]

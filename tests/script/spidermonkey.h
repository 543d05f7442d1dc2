// A miniature of SpiderMonkey bug 478336 (CONCURRIT, Section 2): a thread that destroys a context
// that is not the last decides to collect garbage, is overtaken by the thread that destroys the
// last one and shuts the runtime down, and then collects while a third thread sets the runtime up
// again.
#pragma once

#include <mutex>

namespace spidermonkey {

enum class State { down, launching, up, landing };

struct Runtime {
  std::mutex gc_lock;
  State state = State::down;
  int contexts = 0;
  int gc_thread = 0;  // who has collected last
  int gc_number = 0;
  int roots = 0;
  volatile bool adding_root = false;  // volatile: the compiler keeps both writes
};

// The one of this execution.
extern Runtime* current;

void JS_NewContext(Runtime* rt, int thread);
void JS_BeginRequest(Runtime* rt, int thread);
void JS_DestroyContext(Runtime* rt, int thread);
void js_GC(Runtime* rt, int thread, bool last);
void js_AddRoot(Runtime* rt);

// What each thread does.
void testfunc(Runtime* rt, int thread);
// Three threads of it. `fixed`: the collector looks at the state again once it has the lock.
void body(bool fixed = false);

}  // namespace spidermonkey

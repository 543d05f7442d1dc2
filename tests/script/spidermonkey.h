// A miniature of SpiderMonkey bug 478336 (CONCURRIT, Section 2): a thread that destroys a context
// that is not the last decides to collect garbage, is overtaken by the thread that destroys the last
// one and shuts the runtime down, and then collects while a third thread sets the runtime up again.
#pragma once

#include <mutex>

namespace spidermonkey {

enum class State { down, launching, up, landing };

struct Runtime {
  std::mutex gc_lock;
  State state = State::down;
  int contexts = 0;
  int gc_thread = 0;  // 0: nobody collects
  int gc_number = 0;
  int roots = 0;
  volatile bool adding_root = false;  // volatile: the compiler keeps both writes
};

// The one of this execution.
extern Runtime* rt;

void JS_NewContext(int thread);
void JS_BeginRequest(int thread);
void JS_DestroyContext(int thread);
void js_GC(int thread, bool last);
void js_AddRoot();

// What each thread does.
void testfunc(int thread);
// Three threads of it. `fixed`: the collector looks at the state again once it has the lock.
void body(bool fixed = false);

}  // namespace spidermonkey

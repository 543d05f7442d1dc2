#include "tests/script/spidermonkey.h"

#include <jostle/jostle.h>

#include <thread>

#define NOINLINE [[gnu::noinline]]

namespace spidermonkey {

Runtime* current = nullptr;

namespace {
bool g_fixed = false;
}

NOINLINE void js_AddRoot(Runtime* rt) {
  rt->adding_root = true;
  ++rt->roots;
  rt->adding_root = false;
}

NOINLINE void js_GC(Runtime* rt, int thread, bool last) {
  if (rt->state != State::up && !last) return;
  rt->gc_lock.lock();
  if (g_fixed && rt->state != State::up && !last) {
    rt->gc_lock.unlock();
    return;
  }
  rt->gc_thread = thread;
  ++rt->gc_number;
  rt->gc_lock.unlock();
  JOSTLE_ASSERT(!rt->adding_root);  // else the collector would walk a list that is being changed
}

NOINLINE void JS_NewContext(Runtime* rt, int) {
  rt->gc_lock.lock();
  const bool first = rt->contexts++ == 0 && rt->state == State::down;
  if (first) rt->state = State::launching;
  rt->gc_lock.unlock();
  if (!first) return;
  js_AddRoot(rt);
  rt->gc_lock.lock();
  rt->state = State::up;
  rt->gc_lock.unlock();
}

NOINLINE void JS_BeginRequest(Runtime* rt, int) {
  rt->gc_lock.lock();
  rt->gc_lock.unlock();
}

NOINLINE void JS_DestroyContext(Runtime* rt, int thread) {
  rt->gc_lock.lock();
  const bool last = --rt->contexts == 0;
  if (last) rt->state = State::landing;
  rt->gc_lock.unlock();
  js_GC(rt, thread, last);
  if (!last) return;
  rt->gc_lock.lock();
  rt->roots = 0;
  rt->state = State::down;
  rt->gc_lock.unlock();
}

NOINLINE void testfunc(Runtime* rt, int thread) {
  JS_NewContext(rt, thread);
  JS_BeginRequest(rt, thread);
  JS_DestroyContext(rt, thread);
}

void body(bool fixed) {
  Runtime runtime;
  current = &runtime;
  g_fixed = fixed;
  std::thread a(testfunc, &runtime, 1), b(testfunc, &runtime, 2), c(testfunc, &runtime, 3);
  a.join();
  b.join();
  c.join();
}

}  // namespace spidermonkey

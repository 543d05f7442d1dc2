#include "tests/script/spidermonkey.h"

#include <jostle/jostle.h>

#include <thread>

#define NOINLINE [[gnu::noinline]]

namespace spidermonkey {

Runtime* rt = nullptr;

namespace {
bool g_fixed = false;
}

NOINLINE void js_AddRoot() {
  rt->adding_root = true;
  ++rt->roots;
  rt->adding_root = false;
}

NOINLINE void js_GC(int thread, bool last) {
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
  rt->gc_lock.lock();
  rt->gc_thread = 0;
  rt->gc_lock.unlock();
}

NOINLINE void JS_NewContext(int) {
  rt->gc_lock.lock();
  const bool first = rt->contexts++ == 0 && rt->state == State::down;
  if (first) rt->state = State::launching;
  rt->gc_lock.unlock();
  if (!first) return;
  js_AddRoot();
  rt->gc_lock.lock();
  rt->state = State::up;
  rt->gc_lock.unlock();
}

NOINLINE void JS_BeginRequest(int) {
  rt->gc_lock.lock();
  rt->gc_lock.unlock();
}

NOINLINE void JS_DestroyContext(int thread) {
  rt->gc_lock.lock();
  const bool last = --rt->contexts == 0;
  if (last) rt->state = State::landing;
  rt->gc_lock.unlock();
  js_GC(thread, last);
  if (!last) return;
  rt->gc_lock.lock();
  rt->roots = 0;
  rt->state = State::down;
  rt->gc_lock.unlock();
}

NOINLINE void testfunc(int thread) {
  JS_NewContext(thread);
  JS_BeginRequest(thread);
  JS_DestroyContext(thread);
}

void body(bool fixed) {
  Runtime runtime;
  rt = &runtime;
  g_fixed = fixed;
  std::thread a(testfunc, 1), b(testfunc, 2), c(testfunc, 3);
  a.join();
  b.join();
  c.join();
}

}  // namespace spidermonkey

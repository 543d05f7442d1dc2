#include "runtime/keys.h"

#include <pthread.h>

#include <climits>

#include "runtime/engine.h"
#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/streams.h"
#include "sched/model/model.h"

namespace jostle {
namespace {

// Destructors by key. Keys are few and small numbers; the values stay in the carriers' own
// thread-control blocks.
void (*g_destructors[PTHREAD_KEYS_MAX])(void*) = {};
bool g_used[PTHREAD_KEYS_MAX] = {};
Epoch g_set[PTHREAD_KEYS_MAX] = {};  // by whom a value of the key was last set, and when
pthread_key_t g_highest = 0;

}  // namespace

bool has_thread_destructors(Thread& t) {
  const Carrier& c = carrier_of(t);
  if (c.destructors) return true;
  if (JOSTLE_LIKELY(!c.has_keys)) return false;
  for (pthread_key_t k = 0; k <= g_highest; ++k)
    if (g_used[k] && g_destructors[k] && pthread_getspecific(k)) return true;
  return false;
}

Address keys_of(Thread& t) {
  return carrier_of(t).has_keys ? reinterpret_cast<Address>(g_used) : 0;
}

void run_thread_destructors(Thread& t) {
  Carrier& c = carrier_of(t);
  // Objects may be made, and registered, while others are destroyed.
  auto run_objects = [&] {
    bool any = false;
    while (Carrier::Destructor* d = c.destructors) {
      c.destructors = d->next;
      const Carrier::Destructor call = *d;
      d->next = c.free_destructors;
      c.free_destructors = d;
      call.function(call.object);
      any = true;
    }
    return any;
  };
  run_objects();
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (pthread_key_t k = 0; k <= g_highest; ++k) {
      if (!g_used[k]) continue;
      void* value = pthread_getspecific(k);
      if (!value) continue;
      pthread_setspecific(k, nullptr);
      if (!g_destructors[k]) continue;
      g_destructors[k](value);
      any = true;
    }
    any |= run_objects();
    if (!any) break;
  }
}

void forget_abandoned_threads(CarrierPool& pool) {
  for (std::uint32_t i = 0; i < pool.used(); ++i) {
    Carrier& c = *pool.at(i);
    c.destructors = nullptr;
    c.dirty = true;
  }
  release_streams(pool);
}

void clear_keys() {
  for (pthread_key_t k = 0; k <= g_highest; ++k)
    if (g_used[k] && pthread_getspecific(k)) pthread_setspecific(k, nullptr);
}

}  // namespace jostle

using namespace jostle;

namespace {

// To set a value is no step: whether that comes before the key is deleted is not tried.
void used_and_deleted(const Thread& t) {
  if (StepLog* log = t.scheduler->log())
    log->cannot_tell("deletes a key that other threads set values of");
}

}  // namespace

JOSTLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  real::ready();
  const int r = real::pthread_key_create(key, destructor);
  if (r == 0 && *key < PTHREAD_KEYS_MAX) {
    g_destructors[*key] = destructor;
    g_used[*key] = true;
    if (*key > g_highest) g_highest = *key;
  }
  return r;
}

JOSTLE_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  real::ready();
  // Whether the destructors of threads that end are called depends on it.
  if (Thread* t = self(); t && t->scheduler->exact())
    model::control_point(*t->scheduler, *t, JOSTLE_CALLER, reinterpret_cast<Address>(g_used));
  if (key < PTHREAD_KEYS_MAX) {
    if (Thread* t = self(); t && t->clock[thread_of(g_set[key])] < g_set[key]) used_and_deleted(*t);
    g_used[key] = false;
  }
  return real::pthread_key_delete(key);
}

// Interposed only to know which threads have values to be destroyed.
JOSTLE_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  real::ready();
  const int r = real::pthread_setspecific(key, value);
  if (Thread* t = t_self) {
    carrier_of(*t).has_keys = true;
    if (r != 0 && t->scheduler->live() > 1)
      used_and_deleted(*t);
    else if (key < PTHREAD_KEYS_MAX)
      g_set[key] = t->epoch;
  }
  return r;
}

JOSTLE_EXPORT int tss_set(tss_t key, void* value) {
  return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

JOSTLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  static_assert(sizeof(tss_t) == sizeof(pthread_key_t));
  return pthread_key_create(reinterpret_cast<pthread_key_t*>(key), destructor) == 0 ? thrd_success
                                                                                    : thrd_error;
}

JOSTLE_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }

JOSTLE_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void* dso) {
  Thread* t = t_self;
  if (!t) return real::ready(), real::__cxa_thread_atexit_impl(function, object, dso);
  Carrier& c = carrier_of(*t);
  Carrier::Destructor* d = c.free_destructors;
  if (d) {
    c.free_destructors = d->next;
  } else {
    d = static_cast<Carrier::Destructor*>(map_pages(4096));
    for (std::size_t i = 1; i < 4096 / sizeof *d; ++i) {
      d[i].next = c.free_destructors;
      c.free_destructors = &d[i];
    }
  }
  *d = {function, object, c.destructors};
  c.destructors = d;
  return 0;
}

// Atomic operations of instrumented code. Executed sequentially consistently; the order that the
// program asked for decides what they synchronise.
#include "runtime/tsan/access.h"
#include "sched/model/model.h"

using namespace jostle;

namespace {

using u128 = unsigned __int128;

template <class T>
std::uint64_t shown(T v) {
  return static_cast<std::uint64_t>(v);
}

// Of a thread that is not controlled.
template <class T>
void outside(EventKind kind, const volatile T* a, std::uint64_t pc) {
  attached::event(kind, reinterpret_cast<Address>(a), pc, sizeof(T));
}

template <class T>
T load(const volatile T* a, int order, std::uint64_t pc) {
  Thread* t = self();
  if (!t) return outside(EventKind::atomic_load, a, pc), __atomic_load_n(a, __ATOMIC_SEQ_CST);
  const auto at = reinterpret_cast<Address>(a);
  Object& o =
      model::atomic_before(*t->scheduler, *t, EventKind::atomic_load, at, sizeof(T), order, pc);
  const T v = *a;
  // After the clocks: an acquire load of a published value is ordered with what came before it.
  model::atomic_loaded(*t->scheduler, *t, o, order, shown(v));
  g_engine->races().atomic(*t, at, sizeof(T), false, pc);
  return v;
}

template <class T>
void store(volatile T* a, T v, int order, std::uint64_t pc) {
  Thread* t = self();
  if (!t) return outside(EventKind::atomic_store, a, pc), __atomic_store_n(a, v, __ATOMIC_SEQ_CST);
  const auto at = reinterpret_cast<Address>(a);
  Object& o =
      model::atomic_before(*t->scheduler, *t, EventKind::atomic_store, at, sizeof(T), order, pc);
  g_engine->races().atomic(*t, at, sizeof(T), true, pc);
  const T old = *a;
  *a = v;
  model::atomic_stored(*t->scheduler, *t, o, order, shown(old), shown(v));
}

template <class T, class F>
T update(volatile T* a, int order, std::uint64_t pc, F f) {
  Thread* t = self();
  const auto at = reinterpret_cast<Address>(a);
  Object& o =
      model::atomic_before(*t->scheduler, *t, EventKind::atomic_rmw, at, sizeof(T), order, pc);
  const T old = *a;
  const T now = f(old);
  *a = now;
  model::atomic_updated(*t->scheduler, *t, o, order, shown(old), shown(now));
  g_engine->races().atomic(*t, at, sizeof(T), true, pc);
  return old;
}

// Where the expected value of a compare-exchange lies: gcc leaves it to the hook to read and write
// it, which is an access like any other. Locals are not worth it.
template <class T>
void access_expected(const Thread& t, const T* expected, bool write, std::uint64_t pc) {
  if (!in_own_frames(t, reinterpret_cast<Address>(expected)))
    access(expected, sizeof(T), write, pc);
}

template <class T>
bool exchange_if(volatile T* a, T* expected, T v, int order, int failure, bool weak,
                 std::uint64_t pc) {
  Thread* t = self();
  if constexpr (sizeof(T) <= 8)
    if (!t)
      return outside(EventKind::atomic_cas, a, pc),
             __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  const auto at = reinterpret_cast<Address>(a);
  Scheduler& s = *t->scheduler;
  access_expected(*t, expected, false, pc);
  t->hoped = shown(*expected);
  Object& o = model::atomic_before(s, *t, EventKind::atomic_cas, at, sizeof(T), order, pc);
  const T old = *a;
  const bool matches = old == *expected;
  const bool spurious = weak && s.weak_cas_fails(*t, matches);
  if (matches && !spurious) {
    *a = v;
    model::atomic_updated(s, *t, o, order, shown(old), shown(v));
    g_engine->races().atomic(*t, at, sizeof(T), true, pc);
    return true;
  }
  model::atomic_cas_failed(s, *t, o, failure, shown(old), spurious);
  g_engine->races().atomic(*t, at, sizeof(T), false, pc);
  access_expected(*t, expected, true, pc);
  *expected = old;
  return false;
}

}  // namespace

#define JOSTLE_RMW(n, T, name, builtin, expression)                                             \
  JOSTLE_EXPORT T __tsan_atomic##n##_##name(volatile T* a, T v, int order) {                    \
    if (!self())                                                                                \
      return outside(EventKind::atomic_rmw, a, JOSTLE_CALLER), builtin(a, v, __ATOMIC_SEQ_CST); \
    return update(a, order, JOSTLE_CALLER, [v](T old) { return static_cast<T>(expression); });  \
  }

#define JOSTLE_ATOMIC(n, T)                                                                        \
  JOSTLE_EXPORT T __tsan_atomic##n##_load(const volatile T* a, int order) {                        \
    return load(a, order, JOSTLE_CALLER);                                                          \
  }                                                                                                \
  JOSTLE_EXPORT void __tsan_atomic##n##_store(volatile T* a, T v, int order) {                     \
    store(a, v, order, JOSTLE_CALLER);                                                             \
  }                                                                                                \
  JOSTLE_RMW(n, T, exchange, __atomic_exchange_n, ((void)old, v))                                  \
  JOSTLE_RMW(n, T, fetch_add, __atomic_fetch_add, old + v)                                         \
  JOSTLE_RMW(n, T, fetch_sub, __atomic_fetch_sub, old - v)                                         \
  JOSTLE_RMW(n, T, fetch_and, __atomic_fetch_and, old& v)                                          \
  JOSTLE_RMW(n, T, fetch_or, __atomic_fetch_or, old | v)                                           \
  JOSTLE_RMW(n, T, fetch_xor, __atomic_fetch_xor, old ^ v)                                         \
  JOSTLE_RMW(n, T, fetch_nand, __atomic_fetch_nand, ~(old & v))                                    \
  JOSTLE_EXPORT bool __tsan_atomic##n##_compare_exchange_strong(volatile T* a, T* e, T v,          \
                                                                int order, int failure) {          \
    return exchange_if(a, e, v, order, failure, false, JOSTLE_CALLER);                             \
  }                                                                                                \
  JOSTLE_EXPORT bool __tsan_atomic##n##_compare_exchange_weak(volatile T* a, T* e, T v, int order, \
                                                              int failure) {                       \
    return exchange_if(a, e, v, order, failure, true, JOSTLE_CALLER);                              \
  }                                                                                                \
  JOSTLE_EXPORT T __tsan_atomic##n##_compare_exchange_val(volatile T* a, T e, T v, int order,      \
                                                          int failure) {                           \
    exchange_if(a, &e, v, order, failure, false, JOSTLE_CALLER);                                   \
    return e;                                                                                      \
  }

JOSTLE_ATOMIC(8, std::uint8_t)
JOSTLE_ATOMIC(16, std::uint16_t)
JOSTLE_ATOMIC(32, std::uint32_t)
JOSTLE_ATOMIC(64, std::uint64_t)

// The runtime is built without -mcx16; outside an execution these go to libatomic-like code of
// our own, since every instrumented program has its accesses here anyway.
namespace {

int g_wide = 0;
void wide_lock() {
  while (__atomic_exchange_n(&g_wide, 1, __ATOMIC_ACQUIRE)) {
  }
}
void wide_unlock() { __atomic_store_n(&g_wide, 0, __ATOMIC_RELEASE); }

template <class F>
u128 wide(volatile u128* a, F f) {
  wide_lock();
  const u128 old = *a;
  *a = f(old);
  wide_unlock();
  return old;
}

}  // namespace

JOSTLE_EXPORT u128 __tsan_atomic128_load(const volatile u128* a, int order) {
  Thread* t = self();
  if (!t) return wide(const_cast<volatile u128*>(a), [](u128 old) { return old; });
  const auto at = reinterpret_cast<Address>(a);
  Object& o =
      model::atomic_before(*t->scheduler, *t, EventKind::atomic_load, at, 16, order, JOSTLE_CALLER);
  const u128 v = *a;
  model::atomic_loaded(*t->scheduler, *t, o, order, shown(v));
  g_engine->races().atomic(*t, at, 16, false, JOSTLE_CALLER);
  return v;
}
JOSTLE_EXPORT void __tsan_atomic128_store(volatile u128* a, u128 v, int order) {
  if (!self()) {
    wide(a, [v](u128) { return v; });
    return;
  }
  update(a, order, JOSTLE_CALLER, [v](u128) { return v; });
}
#define JOSTLE_WIDE(name, expression)                                               \
  JOSTLE_EXPORT u128 __tsan_atomic128_##name(volatile u128* a, u128 v, int order) { \
    auto f = [v](u128 old) -> u128 { return expression; };                          \
    if (!self()) return wide(a, f);                                                 \
    return update(a, order, JOSTLE_CALLER, f);                                      \
  }
JOSTLE_WIDE(exchange, ((void)old, v))
JOSTLE_WIDE(fetch_add, old + v)
JOSTLE_WIDE(fetch_sub, old - v)
JOSTLE_WIDE(fetch_and, old& v)
JOSTLE_WIDE(fetch_or, old | v)
JOSTLE_WIDE(fetch_xor, old ^ v)
JOSTLE_WIDE(fetch_nand, ~(old& v))

namespace {

bool wide_exchange_if(volatile u128* a, u128* e, u128 v, int order, int failure, bool weak,
                      std::uint64_t pc) {
  Thread* t = self();
  if (!t) {
    const u128 expected = *e;
    const u128 old = wide(a, [=](u128 was) { return was == expected ? v : was; });
    *e = old;
    return old == expected;
  }
  return exchange_if(a, e, v, order, failure, weak, pc);
}

}  // namespace

JOSTLE_EXPORT bool __tsan_atomic128_compare_exchange_strong(volatile u128* a, u128* e, u128 v,
                                                            int order, int failure) {
  return wide_exchange_if(a, e, v, order, failure, false, JOSTLE_CALLER);
}
JOSTLE_EXPORT bool __tsan_atomic128_compare_exchange_weak(volatile u128* a, u128* e, u128 v,
                                                          int order, int failure) {
  return wide_exchange_if(a, e, v, order, failure, true, JOSTLE_CALLER);
}
JOSTLE_EXPORT u128 __tsan_atomic128_compare_exchange_val(volatile u128* a, u128 e, u128 v,
                                                         int order, int failure) {
  wide_exchange_if(a, &e, v, order, failure, false, JOSTLE_CALLER);
  return e;
}

JOSTLE_EXPORT void __tsan_atomic_thread_fence(int order) {
  Thread* t = self();
  if (!t) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  model::atomic_fence(*t->scheduler, *t, order, JOSTLE_CALLER);
}
JOSTLE_EXPORT void __tsan_atomic_signal_fence(int) {}

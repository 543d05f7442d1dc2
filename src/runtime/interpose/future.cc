// Futures that become ready when their thread has ended (std::promise::set_value_at_thread_exit,
// std::packaged_task::make_ready_at_thread_exit). The C++ library, which is not instrumented, makes
// the store: without this, nothing would order what the thread did with what is done by whoever
// finds the future ready.
//
// Nothing of <future> and <memory> is used here: their functions would be compiled without hooks,
// and the linker might take these for the program's.
#include <dlfcn.h>

#include <climits>

#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

// std::__future_base::_State_baseV2::_Make_ready: an element of the list of what is to be called
// when the thread ends, and a std::weak_ptr.
struct MakeReady {
  MakeReady* next;
  void (*call)(void*);
  char* state;
  char* control;
};
// In the state, behind the virtual table and the result; in the control block, behind its table.
constexpr std::size_t kStatus = 16, kUses = 8, kWeakUses = 12;
constexpr std::uint32_t kReady = 1;

void (*g_make_ready)(void*);

bool expired(const MakeReady& m) {
  return !m.control || __atomic_load_n(reinterpret_cast<int*>(m.control + kUses), 0) == 0;
}

// As the program's own references are dropped: what others did before they dropped theirs is known.
void counted(Thread& t, const char* count) {
  Object* o = t.scheduler->objects().find(at(count), ObjectKind::atomic);
  if (!o) return;
  t.scheduler->acquire(t, o->released);
  t.scheduler->release_join(t, o->released);
}

void publish(Thread& t, const MakeReady& m, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  auto* status = reinterpret_cast<std::uint32_t*>(m.state + kStatus);
  Object& o = model::atomic_before(s, t, EventKind::atomic_store, at(status), sizeof *status,
                                   __ATOMIC_RELEASE, pc);
  if (expired(m)) return;  // others have run meanwhile
  g_engine->races().atomic(t, at(status), sizeof *status, true, pc);
  const std::uint32_t old = *status;
  *status = kReady;
  model::atomic_stored(s, t, o, __ATOMIC_RELEASE, old, kReady);
  model::futex_wake(s, t, at(status), INT_MAX, ~0u, pc);
}

// What the library then does nobody can interrupt: it finds no waiters, and drops its references.
void make_ready(void* element) {
  const auto& m = *static_cast<const MakeReady*>(element);
  if (Thread* t = self()) {
    if (!expired(m)) publish(*t, m, JOSTLE_CALLER);
    if (m.control) {
      counted(*t, m.control + kUses);
      counted(*t, m.control + kWeakUses);
    }
  }
  g_make_ready(element);
}

}  // namespace

// void std::__future_base::_State_baseV2::_Make_ready::_M_set()
JOSTLE_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* m) {
  static const auto real_set = reinterpret_cast<void (*)(MakeReady*)>(
      dlsym(RTLD_NEXT, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"));
  real_set(m);
  g_make_ready = m->call;
  m->call = make_ready;
}

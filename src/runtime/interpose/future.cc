// Futures that become ready when their thread has ended (std::promise::set_value_at_thread_exit,
// std::packaged_task::make_ready_at_thread_exit). The C++ library, which is not instrumented, would
// make the store: without this version of it, nothing would order what the thread did with what is
// done by whoever finds the future ready.
#include <dlfcn.h>

#include <climits>
#include <future>
#include <memory>

#include "runtime/interpose/interpose.h"

using namespace jostle;

namespace {

using State = std::__future_base::_State_baseV2;

// std::__future_base::_State_baseV2::_Make_ready
struct MakeReady : std::__at_thread_exit_elt {
  std::weak_ptr<State> state;
};

// Where State has its status, behind the virtual table and the result, and what it then is.
constexpr std::size_t kStatus = 2 * sizeof(void*);
constexpr std::uint32_t kReady = 1;
static_assert(sizeof(State) == 4 * sizeof(void*));
// Where the counts of a std::weak_ptr are: behind the virtual table of what it points to second.
constexpr std::size_t kCounts = sizeof(void*);

void (*g_make_ready)(void*);

// As the program's own references are dropped: what others did before they dropped theirs is known.
void counted(Thread& t, Address count) {
  Object* o = t.scheduler->objects().find(count, ObjectKind::atomic);
  if (!o) return;
  t.scheduler->acquire(t, o->released);
  t.scheduler->release_join(t, o->released);
}

void publish(Thread& t, State* state, std::uint64_t pc) {
  Scheduler& s = *t.scheduler;
  auto* status = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(state) + kStatus);
  Object& o = model::atomic_before(s, t, EventKind::atomic_store, at(status), sizeof *status,
                                   __ATOMIC_RELEASE, pc);
  g_engine->races().atomic(t, at(status), sizeof *status, true, pc);
  const std::uint32_t old = *status;
  *status = kReady;
  model::atomic_stored(s, t, o, __ATOMIC_RELEASE, old, kReady);
  model::futex_wake(s, t, at(status), INT_MAX, ~0u, pc);
}

void make_ready(void* element) {
  Thread* t = self();
  if (!t) return g_make_ready(element);
  const std::unique_ptr<MakeReady> m(static_cast<MakeReady*>(element));
  const Address counts = reinterpret_cast<const Address*>(&m->state)[1] + kCounts;
  const std::shared_ptr<State> state = m->state.lock();
  if (state) publish(*t, state.get(), JOSTLE_CALLER);
  counted(*t, counts);
  counted(*t, counts + sizeof(int));
}

}  // namespace

// void std::__future_base::_State_baseV2::_Make_ready::_M_set()
JOSTLE_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(MakeReady* m) {
  static const auto real_set = reinterpret_cast<void (*)(MakeReady*)>(
      dlsym(RTLD_NEXT, "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"));
  real_set(m);
  g_make_ready = m->_M_cb;
  m->_M_cb = make_ready;
}

#include "runtime/family.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "events/files.h"
#include "runtime/busy_waits.h"
#include "runtime/descriptors.h"
#include "runtime/engine.h"
#include "runtime/foreign_trace.h"
#include "runtime/instructions.h"
#include "runtime/other_program.h"
#include "runtime/outside.h"
#include "runtime/own_descriptors.h"
#include "runtime/randomness.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/shared_memory.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/system_call.h"
#include "runtime/timers.h"
#include "runtime/trap.h"
#include "sched/model/model.h"

namespace jostle::family {
namespace {

// While it is not a process's turn. (Its traps and the pages of a snapshot cannot wait.)
constexpr std::uint64_t kAllWait = ~(signal_bit(SIGSYS) | signal_bit(SIGSEGV));
constexpr std::uint32_t kMembers = 64, kRaces = 64, kUncontrolled = 32;

struct Member {
  int pid = 0;
  std::uint32_t parent = 0;
  ThreadId first = 0;          // its first thread
  ThreadId maker = kNoThread;  // who forked it
  std::uint64_t path = 0;      // of its first thread
  std::uint16_t children = 0;  // that its first thread had when it became another program
  bool ended = false;
  bool gone = false;  // also as far as the kernel is concerned
  // While it has not its turn, and nothing has stirred: nobody in it can go on, unless something
  // comes from outside, or time passes until then (0: that would not help).
  bool idle = false, open = false;
  std::uint64_t deadline = 0;
};

constexpr std::uint32_t kObjects = 256;

// What a process needs to go on as another program, and where it finds all this: pointers are into
// the two files, which it maps at the same addresses.
struct HandedOver {
  Given given;
  void* strategy;
  ForeignFiles* files;
  int shared_file, family_file;
  std::size_t shared_used, family_used;
  descriptors::Nodes inside;
};

struct Shared {
  std::uint64_t layout;  // kLayout, if it was built from the same sources
  int turn;              // whose it is; a futex
  std::uint32_t members;
  Member member[kMembers];
  Scheduler::Common common;
  bool failed;
  Outcome outcome;          // then
  std::uint32_t lists_for;  // 1 + who asks everybody to list what they wait for
  bool not_alone;           // one of them has started a process that is not controlled
  bool finishing;           // the first process has nothing left to do
  bool over;                // nor does anybody want to know any longer what the others do
  double waits_since;       // for something from outside
  SharedMemory memory;      // that there was at the last fork
  std::uint32_t objects;
  Scheduler::SharedObject object[kObjects];
  ThreadSet woken;  // by other processes
  std::uint32_t races, uncontrolled;
  Problem race[kRaces];
  Uncontrolled what[kUncontrolled];
  HandedOver handed;
};
constexpr std::uint64_t kLayout =
    combine64(combine64(sizeof(Shared), sizeof(Recorder)), sizeof(Scheduler));

bool g_on = false;
Shared* g_shared = nullptr;
std::uint32_t g_me = 0;
Backend g_inner, g_backend;
std::size_t g_told_races = 0;
// While fork() runs: see became_child().
Thread *g_forking = nullptr, *g_first = nullptr;
std::uint32_t g_number = 0;

Scheduler& scheduler() { return g_engine->scheduler(); }
Member& me() { return g_shared->member[g_me]; }

double seconds() {
  timespec ts{};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&ts));
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) * 1e-9;
}

// Has it ended? Waits for that so long; -1: as long as it takes.
bool has_ended(int pid, int milliseconds) {
  const long fd = system_call(SYS_pidfd_open, pid, 0);
  if (fd < 0) return true;
  pollfd p{static_cast<int>(fd), POLLIN, 0};
  long n = 0;
  do n = system_call(SYS_poll, reinterpret_cast<long>(&p), 1, milliseconds);
  while (n == -EINTR && milliseconds < 0);
  system_call(SYS_close, fd);
  return n > 0;
}

// --- news: what only the first process can report ------------------------------------------------

// What the trace has got since the last call.
void recorded_here() {
  if (Recorder* r = scheduler().recorder()) foreign_trace::translate(*r);
}
void recorded_elsewhere() {
  if (Recorder* r = scheduler().recorder()) foreign_trace::pass_over(*r);
}

void tell_news() {
  Shared& s = *g_shared;
  if (g_me == 0) return;
  const auto& found = g_engine->races().found();
  for (; g_told_races < found.size() && s.races < kRaces; ++g_told_races) {
    s.race[s.races] = found[g_told_races];
    foreign_trace::translate(s.race[s.races++]);
  }
  for (const Uncontrolled& u : g_engine->all_uncontrolled()) {
    bool known = s.uncontrolled == kUncontrolled;
    for (std::uint32_t i = 0; i < s.uncontrolled && !known; ++i)
      known = std::strcmp(s.what[i].what, u.what) == 0;
    if (known) continue;
    s.what[s.uncontrolled] = u;
    s.what[s.uncontrolled++].pc = foreign_trace::place(u.pc);
  }
  recorded_here();
}

void take_news() {
  Shared& s = *g_shared;
  for (; s.races > 0; --s.races) g_engine->races().add_found(s.race[s.races - 1]);
  for (std::uint32_t i = 0; i < s.uncontrolled; ++i)
    g_engine->uncontrolled(s.what[i].what, s.what[i].pc);
  s.uncontrolled = 0;
}

// --- objects in shared memory ----------------------------------------------------------------

void tell_objects() {
  Shared& f = *g_shared;
  if (f.memory.empty()) return;
  Scheduler& s = scheduler();
  bool changed = !s.woken_elsewhere.empty();
  s.woken_elsewhere.each([&](ThreadId t) { f.woken.add(t); });
  s.woken_elsewhere.clear();
  for (std::uint32_t i = 0; i < f.objects;)  // what was destroyed here
    if (s.objects().find(f.object[i].address, f.object[i].kind))
      ++i;
    else
      f.object[i] = f.object[--f.objects];
  for (const Object& o : s.objects()) {
    Scheduler::SharedObject now;
    if (!g_shared->memory.has(o.address) || !s.describe(o, now)) continue;
    std::uint32_t i = 0;
    while (i < f.objects && (f.object[i].address != now.address || f.object[i].kind != now.kind))
      ++i;
    if (i == kObjects) continue;
    if (i == f.objects)
      ++f.objects;
    else if (std::memcmp(&f.object[i], &now, sizeof now) == 0)
      continue;
    f.object[i] = now;
    changed = true;
  }
  if (changed) stirred();
}

void take_objects() {
  Shared& f = *g_shared;
  if (f.memory.empty()) return;
  Scheduler& s = scheduler();
  for (std::uint32_t i = 0; i < f.objects; ++i) s.adopt(f.object[i]);
  f.woken.each([&](ThreadId id) {
    Thread& t = s.thread(id);
    if (t.elsewhere) return;
    f.woken.remove(id);
    s.wake_here(t);
  });
  for (Object& o : s.objects())
    if (g_shared->memory.has(o.address))
      model::refresh(s, o, [&](const Thread& t) { return model::can_take(s, o, t.pending.kind); });
}

// --- turns ---------------------------------------------------------------------------------------

void give_turn(std::uint32_t to) {
  __atomic_store_n(&g_shared->turn, static_cast<int>(to), __ATOMIC_RELEASE);
  system_call(SYS_futex, reinterpret_cast<long>(&g_shared->turn), 1 /* FUTEX_WAKE */, 1 << 30);
}

bool can_go_on(const Member& m) { return !m.ended && !m.idle; }

std::uint32_t first_alive() {
  for (std::uint32_t i = 0; i < g_shared->members; ++i)
    if (!g_shared->member[i].ended) return i;
  return 0;
}

// Whose turn it is has ended without a word: killed from outside, or for lack of memory.
void look_after(int turn) {
  Member& m = g_shared->member[turn];
  if (g_me != 0 && is_orphaned()) system_call(SYS_exit_group, 0);
  if (!has_ended(m.pid, 0)) return;
  m.ended = m.gone = true;
  stirred();
  if (first_alive() == g_me) give_turn(g_me);
}

// Until it is this process's turn. Signals wait, too: they are handled where the schedule says.
void await_turn() {
  for (;;) {
    const int turn = __atomic_load_n(&g_shared->turn, __ATOMIC_ACQUIRE);
    if (turn == static_cast<int>(g_me)) return;
    const timespec ts{0, 100'000'000};
    const long r = system_call(SYS_futex, reinterpret_cast<long>(&g_shared->turn),
                               0 /* FUTEX_WAIT */, turn, reinterpret_cast<long>(&ts));
    if (r == -ETIMEDOUT) look_after(turn);
  }
}

void show_others() {
  Scheduler& s = scheduler();
  for (std::uint32_t i = 0; i < g_shared->members; ++i) {
    const Member& m = g_shared->member[i];
    if (i == g_me) continue;
    Thread& first = s.thread(m.first);
    if (first.path == 0) first.path = m.path;  // made by another process
    s.stand_for(first, can_go_on(m));
  }
}

// It is this process's turn again.
void take_turn() {
  Shared& f = *g_shared;
  Scheduler& s = scheduler();
  recorded_elsewhere();
  for (std::uint32_t i = 0; i < f.members; ++i)
    if (Member& m = f.member[i]; m.ended && !m.gone) {
      m.gone = has_ended(m.pid, -1);
      // The signal that tells its parent comes a little later; before it can be waited for.
      siginfo_t info = {};
      if (m.parent == g_me)
        system_call(SYS_waitid, P_PID, m.pid, reinterpret_cast<long>(&info), WEXITED | WNOWAIT);
    }
  s.adopt(f.common);
  if (g_me == 0 && f.failed) {
    s.outcome() = f.outcome;
    s.fail(s.running(), s.outcome().failure);
  }
  me().idle = false;
  take_objects();
  show_others();
}

// Somebody else's turn, until it is ours again.
void hand_over(std::uint32_t to) {
  Shared& f = *g_shared;
  Scheduler& s = scheduler();
  tell_objects();
  f.common = s.common();
  me().idle = !s.anybody_here() || (f.finishing && g_me == 0);
  me().open = me().idle && outside::may_help();
  me().deadline = me().idle && !(f.finishing && g_me == 0) ? s.earliest_deadline() : 0;
  tell_news();
  Thread& t = *t_self;
  s.back_to(t);
  const InRuntime guard(t);
  const std::uint64_t mask = kernel_mask();
  set_kernel_mask(kAllWait);
  for (;;) {
    give_turn(to);
    await_turn();
    if (f.lists_for == 0) break;
    recorded_elsewhere();
    s.list_blocked(kNoThread);
    recorded_here();
    to = f.lists_for - 1;
  }
  take_turn();
  take_arrived_signals(t);
  set_kernel_mask(mask);
  outside::look_here();
}

std::uint32_t process_of(const Thread& first) {
  for (std::uint32_t i = 0; i < g_shared->members; ++i)
    if (g_shared->member[i].first == first.id) return i;
  return 0;
}

// --- the backend of several processes ------------------------------------------------------------

void switch_to(Thread& from, Thread& to) {
  Thread* next = &to;
  while (next->elsewhere) {
    hand_over(process_of(*next));
    next = &scheduler().take_up(from);
  }
  if (next != &from) return g_inner.switch_to(from, *next);
  if (from.interrupted) handle_signals(from);
}

[[noreturn]] void wait_for_the_end() {
  for (;;) {
    if (is_orphaned()) system_call(SYS_exit_group, 0);
    const timespec ts{0, 100'000'000};
    system_call(SYS_nanosleep, reinterpret_cast<long>(&ts), 0);
  }
}

void leave(Thread& from) {
  if (g_me == 0) return g_inner.leave(from);
  Shared& f = *g_shared;
  set_kernel_mask(kAllWait);
  tell_news();
  f.outcome = scheduler().outcome();
  foreign_trace::translate(f.outcome.failure);
  f.common = scheduler().common();
  // One that goes on for ever after the first process has ended is a daemon.
  const FindingKind kind = f.outcome.failure.kind;
  f.over = f.finishing && (kind == FindingKind::timeout || kind == FindingKind::livelock);
  f.failed = !f.over;
  give_turn(0);
  wait_for_the_end();
}

// Memory that programs can map that are started later.
void open_file() {
  const long file =
      system_call(SYS_memfd_create, reinterpret_cast<long>("jostle-family"), MFD_CLOEXEC);
  if (file < 0) return;
  const long fd = system_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, own_descriptors::kFirst);
  system_call(SYS_close, file);
  system_call(SYS_ftruncate, fd, SharedFile::kMost);
  g_family_file.fd = static_cast<int>(fd);
  own_descriptors::add(fd);
}

void watch_turns() {
  Scheduler& s = scheduler();
  s.tell_operations([](const Object& o) {
    if (g_shared->memory.has(o.address)) stirred();
  });
  g_inner = s.backend();
  g_backend = g_inner;
  g_backend.switch_to = &switch_to;
  g_backend.leave = &leave;
  s.set_backend(&g_backend);
}

void become_several() {
  if (g_shared) return;
  Scheduler& s = scheduler();
  const bool alone = outside::is_alone();
  open_file();
  g_shared = static_cast<Shared*>(map_pages_for_children(sizeof(Shared)));
  g_shared->layout = kLayout;
  g_shared->members = 1;
  g_shared->not_alone = !alone;
  g_me = 0;
  me() = {.pid = static_cast<int>(system_call(SYS_getpid)), .path = kMainPath};
  HandedOver& h = g_shared->handed;
  h.given = {g_engine->plan(), g_engine->profile(), s.settings(),
             s.recorder(),     random_seed(),       g_engine->timeout()};
  h.strategy = s.share();
  h.files = g_foreign_files;
  h.shared_file = g_shared_file.fd;
  h.shared_used = g_shared_file.used;
  h.family_file = g_family_file.fd;
  h.family_used = g_family_file.used;
  watch_turns();
}

// --- fork() --------------------------------------------------------------------------------------

// A process that t makes. It counts as soon as it has a number.
void add_member(Thread& t) {
  Scheduler& s = scheduler();
  g_first = s.add_thread(&t);
  s.leave_to_another(*g_first);
  s.stand_for(*g_first, false);
  if (Event* e = s.performed(t, nullptr)) e->other = g_first->id;
  g_number = g_shared->members++;
  g_shared->member[g_number] = {.parent = g_me,
                                .first = g_first->id,
                                .maker = t.id,
                                .path = g_first->path,
                                .ended = true,
                                .gone = true};
}

void has_number(Member& m, int pid) {
  m.pid = pid;
  m.ended = m.gone = false;
  scheduler().stand_for(scheduler().thread(m.first), true);
}

bool has_room() { return g_shared->members < kMembers && scheduler().thread_count() < kMaxThreads; }

// The C library calls these. They were registered first: the program's own handlers run before them
// in the process that forks, and after them in both. So nobody else runs between the first and the
// others, and the program's handlers are controlled like the rest of it.
void before_fork() {
  Thread* t = self();
  if (!t || !g_on || !g_shared) return;
  g_forking = t;
  g_shared->memory.find();
  add_member(*t);
  g_engine->pause_trap();
  set_kernel_mask(kAllWait);
}

void after_fork() {
  if (!g_forking) return;
  set_kernel_mask(carrier_of(*g_forking).blocked);
  g_forking = nullptr;
  g_engine->resume_trap();
}

// Those that stop a run end any other process, if the program leaves them alone.
void leave_signals_of_ours() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    KernelSigaction action{};
    system_call(SYS_rt_sigaction, number, 0, reinterpret_cast<long>(&action), 8);
    if (!busy_waits::is_own_code(reinterpret_cast<std::uint64_t>(action.handler))) continue;
    action = {};
    system_call(SYS_rt_sigaction, number, reinterpret_cast<long>(&action), 0, 8);
  }
}

void became_child() {
  if (!g_forking) return;
  Thread &t = *g_forking, &first = *g_first;
  g_forking = nullptr;
  Carrier& c = carrier_of(t);
  t.in_runtime = true;
  g_me = g_number;
  g_told_races = g_engine->races().found().size();
  scheduler().go_on_as(first, t, g_me);
  c.thread = &first;
  c.pending = c.awaited = 0;
  c.sent_count = 0;
  c.tid = static_cast<int>(system_call(SYS_gettid));
  *c.self_slot = &first;
  // Those of later generations notice by themselves when nobody wants to know any more.
  if (me().parent == 0) system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  timers::forget();
  outside::forget_waits();
  g_engine->rearm();
  leave_signals_of_ours();
  await_turn();
  take_turn();
  take_arrived_signals(first);
  set_kernel_mask(c.blocked);
  first.in_runtime = false;
  g_engine->resume_trap();
  if (first.interrupted) handle_signals(first);
}

[[gnu::constructor]] void register_handlers() {
  pthread_atfork(&before_fork, &after_fork, &became_child);
}

}  // namespace

void control_children(bool on) { g_on = on; }
bool controls_children() { return g_on; }
bool several() { return g_shared != nullptr; }
bool is_child() { return g_shared && g_me != 0; }

pid_t fork(Thread& t, std::uint64_t pc) {
  Scheduler& s = scheduler();
  become_several();
  s.announce(t, EventKind::process_fork, 0, pc);
  s.point(t);
  if (!has_room()) {
    errno = EAGAIN;
    return -1;
  }
  const pid_t p = real::fork();
  if (p <= 0) return p;
  // Not always the last one: handlers may have let others fork meanwhile.
  std::uint32_t i = g_shared->members - 1;
  while (g_shared->member[i].parent != g_me || g_shared->member[i].maker != t.id) --i;
  has_number(g_shared->member[i], p);
  return p;
}

// --- other programs
// -------------------------------------------------------------------------------

namespace {

// Whoever is started then finds the two files.
void let_inherit(bool yes) {
  const HandedOver& h = g_shared->handed;
  for (const int fd : {h.shared_file, h.family_file})
    system_call(SYS_fcntl, fd, F_SETFD, yes ? 0 : FD_CLOEXEC);
}

char** environment_for(std::uint32_t member, char* const* own, bool linked) {
  const HandedOver& h = g_shared->handed;
  char request[120];
  std::snprintf(request, sizeof request, "%4d %12zx %4d %12zx %12zx %3u", h.shared_file,
                h.shared_used, h.family_file, h.family_used,
                reinterpret_cast<std::size_t>(g_shared), member);
  return other_program::environment(own, linked, request);
}

// As the process that hands them over has them.
bool map_file(SharedFile& file, int fd, std::size_t used) {
  file.fd = fd;
  file.used = 0;
  map_pages(used, true, file);
  file.fd = -1;  // nothing is added to it here
  return system_call(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC) == 0;
}

ThreadInfo g_info_of_main;

}  // namespace

bool can_start_programs() {
  const HandedOver& h = g_shared->handed;
  return h.shared_file >= 0 && h.family_file >= 0 && h.files;
}

long become(Thread& t, const SystemCall& c, bool linked) {
  Shared& f = *g_shared;
  char** environment = environment_for(g_me, reinterpret_cast<char* const*>(c.a[2]), linked);
  const InRuntime guard(t);
  tell_objects();
  tell_news();
  f.common = scheduler().common();
  me().children = scheduler().thread(me().first).children;
  descriptors::hand_on(f.handed.inside);
  let_inherit(true);
  const std::uint64_t mask = kernel_mask();
  set_kernel_mask(carrier_of(t).blocked);
  leave_instructions();
  const long failed = system_call(SYS_execve, c.a[0], c.a[1], reinterpret_cast<long>(environment));
  control_instructions();
  set_kernel_mask(mask);
  let_inherit(false);
  return failed;
}

Starting::Starting(Thread& t, std::uint64_t pc) {
  become_several();
  if (!can_start_programs()) return;
  Scheduler& s = scheduler();
  s.announce(t, EventKind::process_fork, 0, pc);
  s.point(t);
  if (!has_room()) return;
  add_member(t);
  number_ = g_number;
  descriptors::hand_on(g_shared->handed.inside);
  let_inherit(true);
}

Starting::~Starting() {
  if (number_ != 0) let_inherit(false);
}

char** Starting::environment(char* const* own, bool linked) const {
  return environment_for(number_, own, linked);
}

void Starting::started(int pid) const { has_number(g_shared->member[number_], pid); }

bool take_request(const char* request) {
  int shared_file = -1, family_file = -1;
  std::size_t shared_used = 0, family_used = 0, at = 0;
  unsigned member = 0;
  if (std::sscanf(request, "%d %zx %d %zx %zx %u", &shared_file, &shared_used, &family_file,
                  &family_used, &at, &member) != 6)
    return false;
  if (!map_file(g_shared_file, shared_file, shared_used) ||
      !map_file(g_family_file, family_file, family_used))
    return false;
  auto* shared = reinterpret_cast<Shared*>(at);
  if (shared->layout != kLayout) return false;
  g_shared = shared;
  g_me = member;
  g_foreign_files = shared->handed.files;
  g_on = true;
  return true;
}

const Given& given() { return g_shared->handed.given; }

void await_first_turn() {
  const std::uint64_t mask = kernel_mask();
  set_kernel_mask(kAllWait);
  if (me().parent == 0) system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  await_turn();
  set_kernel_mask(mask);
  if (Recorder* r = given().recorder) g_info_of_main = r->thread(0);
}

void take_place() {
  Shared& f = *g_shared;
  Scheduler& s = scheduler();
  Thread& t = *t_self;
  t.in_runtime = true;
  set_kernel_mask(kAllWait);
  if (Recorder* r = s.recorder()) r->thread(0) = g_info_of_main;
  g_told_races = g_engine->races().found().size();
  foreign_trace::start(g_me);
  g_engine->races().told_place = &foreign_trace::place;
  g_engine->races().told_data = &foreign_trace::data;
  descriptors::adopt(f.handed.inside);
  Thread& first = s.come_as(f.common, me().first, me().maker, me().path);
  s.go_on_as(first, t, g_me);
  first.children = me().children;
  if (f.handed.strategy) s.adopt_strategy(f.handed.strategy);
  Carrier& c = carrier_of(t);
  c.thread = &first;
  *c.self_slot = &first;
  watch_turns();
  outside::forget_waits();
  take_turn();
  take_arrived_signals(first);
  set_kernel_mask(c.blocked);
  first.in_runtime = false;
  if (first.interrupted) handle_signals(first);
}

void free_process() { outside::not_alone(); }
void wake_free_processes(const void* word) {
  if (outside::is_alone()) return;
  system_call(SYS_futex, reinterpret_cast<long>(word), 1 /* FUTEX_WAKE */, 1 << 30);
}
void not_alone() {
  if (g_shared) g_shared->not_alone = true;
}
bool are_alone() { return !g_shared || !g_shared->not_alone; }

void end(int status) {
  Shared& f = *g_shared;
  t_self->in_runtime = true;
  set_kernel_mask(kAllWait);
  tell_news();
  tell_objects();
  f.common = scheduler().common();
  stirred();
  me().ended = true;
  const std::uint32_t parent = me().parent;
  give_turn(f.member[parent].ended ? first_alive() : parent);
  if (status >= 0) system_call(SYS_exit_group, status);
  // By the signal, as nobody handles it.
  const int number = -status;
  KernelSigaction standard{};
  system_call(SYS_rt_sigaction, number, reinterpret_cast<long>(&standard), 0, 8);
  set_kernel_mask(~signal_bit(number));
  system_call(SYS_kill, system_call(SYS_getpid), number);
  system_call(SYS_exit_group, 128 + number);
  __builtin_unreachable();
}

void finish_others() {
  if (!g_shared || g_me != 0 || g_shared->finishing) return;
  Shared& f = *g_shared;
  f.finishing = true;
  for (std::uint32_t i = 1; i < f.members && !f.over; ++i) {
    const Member& m = f.member[i];
    if (m.ended || (m.idle && m.deadline == 0)) continue;
    hand_over(i);
    i = 0;  // it may have brought about that others can go on
  }
}

void stirred() {
  if (!g_shared) return;
  g_shared->waits_since = 0;
  for (std::uint32_t i = 0; i < g_shared->members; ++i) {
    Member& m = g_shared->member[i];
    if (i == g_me || !m.idle || m.ended) continue;
    m.idle = false;
    scheduler().stand_for(scheduler().thread(m.first), true);
  }
}

void sent(long pid, int number) {
  if (!g_shared || number == 0) return;
  for (std::uint32_t i = 0; i < g_shared->members; ++i) {
    Member& m = g_shared->member[i];
    if (i == g_me || m.ended || m.pid != pid || number != SIGKILL) continue;
    if (i == 0) wait_for_the_end();  // the whole execution
    m.ended = true;
    m.gone = has_ended(m.pid, -1);
    scheduler().stand_for(scheduler().thread(m.first), false);
  }
  stirred();
}

bool nobody_can_go_on(Scheduler& s, bool time_can_pass) {
  Shared& f = *g_shared;
  const std::uint64_t own = time_can_pass ? s.earliest_deadline() : 0;
  std::uint32_t best = g_me;
  std::uint64_t at = own;
  for (std::uint32_t i = 0; i < f.members; ++i) {
    const Member& m = f.member[i];
    if (i == g_me || m.ended || m.deadline == 0 || (at != 0 && m.deadline >= at)) continue;
    best = i;
    at = m.deadline;
  }
  if (best != g_me) return hand_over(best), true;
  if (own != 0) return false;
  if (f.finishing) {  // what it would have closed would be told to those that wait for it
    if (g_me == 0) return false;
    return hand_over(0), true;
  }
  // Who else waits for something from outside has a look in turn.
  std::uint32_t next = g_me;
  for (std::uint32_t k = 1; k < f.members && next == g_me; ++k) {
    const std::uint32_t i = (g_me + k) % f.members;
    if (!f.member[i].ended && f.member[i].open) next = i;
  }
  const bool mine = outside::may_help();
  if (mine || next != g_me) {
    const double limit = g_engine->timeout();
    if (f.waits_since == 0) f.waits_since = seconds();
    const bool over = limit > 0 && seconds() - f.waits_since > limit;
    if (mine && outside::wait_a_moment(over)) return true;
    if (next != g_me) hand_over(next);
    return true;
  }
  recorded_here();
  for (std::uint32_t i = 0; i < f.members; ++i)
    if (i != g_me && !f.member[i].ended) {
      f.lists_for = g_me + 1;
      give_turn(i);
      await_turn();
    }
  f.lists_for = 0;
  recorded_elsewhere();
  return false;
}

bool are_waited_for(const SystemCall& c) {
  if (!g_shared) return false;
  const bool by_id = c.number == SYS_waitid;
  const long pid = by_id ? (c.a[0] == P_PID ? c.a[1] : -1) : static_cast<int>(c.a[0]);
  bool mine = false;
  for (std::uint32_t i = 0; i < g_shared->members; ++i) {
    const Member& m = g_shared->member[i];
    mine |= m.parent == g_me && i != g_me && !m.ended && (pid <= 0 || m.pid == pid);
  }
  return mine;
}

bool is_orphaned() { return is_child() && has_ended(g_shared->member[0].pid, 0); }

void forget() {
  if (!g_shared) return;
  take_news();
  for (std::uint32_t i = 1; i < g_shared->members; ++i) {
    Member& m = g_shared->member[i];
    if (m.pid <= 0) continue;
    if (!m.gone) {
      system_call(SYS_kill, m.pid, SIGKILL);
      has_ended(m.pid, -1);
    }
    if (m.parent == 0) system_call(SYS_wait4, m.pid, 0, WNOHANG);
  }
  unmap_pages(g_shared, sizeof(Shared));
  g_shared = nullptr;
  own_descriptors::remove(g_family_file.fd);
  system_call(SYS_close, g_family_file.fd);
  g_family_file.fd = -1;
}

}  // namespace jostle::family

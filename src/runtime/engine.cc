#include "runtime/engine.h"

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "runtime/creation.h"
#include "runtime/family.h"
#include "runtime/frames.h"
#include "runtime/free_children.h"
#include "runtime/heap.h"
#include "runtime/keys.h"
#include "runtime/outside.h"
#include "runtime/randomness.h"
#include "runtime/real.h"
#include "runtime/self.h"
#include "runtime/signal_model.h"
#include "runtime/signals.h"
#include "runtime/snapshot.h"
#include "runtime/start_point.h"
#include "runtime/system_call.h"
#include "runtime/system_model.h"
#include "runtime/timers.h"
#include "runtime/trap.h"
#include "runtime/tsan/access.h"
#include "sched/model/model.h"

extern "C" char __libc_single_threaded;

namespace jostle {

void kernel_thread_go(Carrier& c);

Engine* g_engine = nullptr;

Engine& engine() {
  if (!g_engine) g_engine = new (map_pages(sizeof(Engine))) Engine();
  return *g_engine;
}

std::uint64_t image_base() {
  static const std::uint64_t base = [] {
    std::uint64_t b = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* i, std::size_t, void* out) {
          *static_cast<std::uint64_t*>(out) = i->dlpi_addr;
          return 1;  // the first is the program itself
        },
        &b);
    return b;
  }();
  return base;
}

Engine::Engine()
    : races_(scheduler_),
      sites_(1u << 16),
      seals_(1u << 16),
      quarantine_(1u << 22),
      uncontrolled_(256) {
  real::ready();
  std::memset(filter, 0, sizeof filter);
  scheduler_.set_image(image_base());
  carriers_.on_go = &kernel_thread_go;
  scheduler_.on_freed = [](Thread& t, Address a, std::uint64_t pc) {
    Scheduler& s = *t.scheduler;
    if (!t.in_runtime && s.settings().heap)
      g_engine->races_.use_after_free(t, *s.shadow().cell(a), a, 1, true, pc);
  };
  scheduler_.doubt = &outside::doubt;
  install_trap_handler();
  prepare_walks();
}

void Engine::configure(const Settings& settings, bool kernel_threads) {
  scheduler_.configure(settings);
  // The threads of the process that forked do not exist here; only fibers can do without.
  if (after_fork_ && kernel_threads) carriers_.forget_all();
  after_fork_ = after_fork_ && !kernel_threads;
  carriage_ = kernel_threads ? &kernel_thread_carriage() : &fiber_carriage();
  scheduler_.set_backend(&carriage_->backend);
  install_crash_handlers();
  mask_ = kernel_mask();
  if ((!kernel_threads || start_carrier()) && !trap_armed_) trap_armed_ = arm_trap(&selector_);
  // Sleeping threads count for nothing: shared_ptr must use atomic counts before the first one.
  __libc_single_threaded = 0;
  clear_sites();
}

void Engine::rearm() {
  trap_armed_ = arm_trap(&selector_);
  watch_start();
}

void Engine::warm_up(std::uint32_t threads) {
  carriers_.release_all();
  for (std::uint32_t i = 0; i < threads; ++i) carriers_.take();
  carriers_.release_all();
}

namespace {

// What was sent to the last thread that it carried, and where it was when that was abandoned.
void forget_signals(Carrier& c) {
  c.pending = c.awaited = 0;
  c.cancellable = false;
  c.sent_count = 0;
}

}  // namespace

const Outcome& Engine::execute(const Plan& plan, const Profile& profile, Strategy& strategy,
                               const Body& body, Recorder* recorder) {
  body_ = body;
  plan_ = &plan;
  profile_ = &profile;
  ++executions_;
  printed_[1] = printed_[2] = 0;
  exiting_ = false;
  reset_randomness();
  forget_program_handlers();
  forget_system_state();
  if (snapshot::taken()) {
    snapshot::restore();
    // The heap has never heard of those blocks.
    quarantine_.clear();
    quarantine_first_ = quarantine_bytes_ = 0;
  }
  scheduler_.set_backend(recorder ? &recording_backend() : &carriage_->backend);
  if (scheduler_.access_log()) begin_logging();
  scheduler_.begin(plan, profile, strategy, recorder);
  races_.begin();
  carriers_.release_all();
  Thread* t = scheduler_.add_thread(nullptr);
  Carrier* adopted = start_carrier();
  Carrier* c = adopted ? adopted : carriers_.take();
  if (!c) {
    std::fprintf(stderr, "jostle: cannot create a thread\n");
    std::abort();
  }
  c->thread = t;
  c->start = nullptr;
  c->has_keys = false;
  c->blocked = mask_;
  forget_signals(*c);
  t->carrier = c;
  t->handle = c->handle;
  // Of a whole program, too: it lies elsewhere where a check goes on with another environment.
  if (StepLog* log = scheduler_.log())
    log->stands_on(*t, reinterpret_cast<Address>(c->stack_low), c->stack_size);
  *c->self_slot = t;
  void* const start = c->sp;
  if (!adopted) carriage_->prepare(*t, *c, &thread_entry);
  running_ = true;
  selector_ = kTrapOn;
  carriage_->run(*t);
  selector_ = kTrapOff;
  running_ = false;
  timers::forget();
  family::forget();
  free_children::end_all();
  if (adopted) {  // this is its thread-control block, too
    *c->self_slot = nullptr;
    c->sp = start;
  }
  carriage_->settle(carriers_);
  snapshot::restore_descriptors();
  const Outcome& o = scheduler_.outcome();
  if (o.failure.kind != FindingKind::none || o.given_up || o.again)
    forget_abandoned_threads(carriers_);
  return o;
}

// What others need to know of a stack is looked at when its thread stops: who is not recorded does
// not pay for it.
const Backend& Engine::recording_backend() {
  walk_stack(host_frames_);
  for (std::uint32_t i = 0; i < carriers_.size(); ++i)  // of an earlier execution
    if (FrameList* f = carriers_.at(i)->frames) f->count = 0;
  recording_ = carriage_->backend;
  recording_.switch_to = [](Thread& from, Thread& to) {
    if (!from.finished) {
      InRuntime guard(from);
      walk_stack(carrier_of(from).frames);
    }
    g_engine->carriage_->backend.switch_to(from, to);
  };
  return recording_;
}

// Runs on the carrier's stack. Not noexcept: an exception that nobody catches ends in terminate()
// with the thrower's frames still there, because no frame further out wants it either. To one that
// forbids it they would be unwound first.
void Engine::thread_entry() { outermost_frame(*g_engine); }

void Engine::outermost_frame(Engine& e) {
  Thread& t = *t_self;
  Carrier& c = carrier_of(t);
  if (c.dirty) {
    c.dirty = false;
    clear_keys();
  }
  if (t.id == 0) {
    // Here and not where the last execution ended: the allocator's cache that the blocks go back to
    // is then the one from which the body takes its next ones.
    e.release_quarantine();
    if (e.scheduler_.gate()) e.scheduler_.gate_point(t, EventKind::thread_start, 0, 0);
    e.body_.call(e.body_.context);
  } else {
    e.scheduler_.noted(t);
    if (t.interrupted) handle_signals(t);
    t.result = c.start(c.argument);
  }
  if (creation::runs_free()) creation::end_free_process(0);
  e.end_thread(t);
}

Thread* Engine::start_thread(Thread& by, void* (*start)(void*), void* argument, std::size_t stack,
                             bool detached, std::uint64_t pc, pthread_t* handle) noexcept {
  scheduler_.announce(by, EventKind::thread_create, 0, pc);
  scheduler_.point(by);
  Carrier* c = take_carrier(by, stack);
  Thread* t = c ? scheduler_.add_thread(&by) : nullptr;
  if (!t) return nullptr;
  c->thread = t;
  c->start = start;
  c->argument = argument;
  c->destructors = nullptr;
  c->has_keys = false;
  c->blocked = carrier_of(by).blocked;
  forget_signals(*c);
  t->carrier = c;
  t->handle = c->handle;
  t->detached = detached;
  std::memcpy(t->name, by.name, sizeof by.name);
  if (StepLog* log = scheduler_.log())
    log->stands_on(*t, reinterpret_cast<Address>(c->stack_low), c->stack_size);
  // Places are return addresses: what comes before them is what is meant.
  t->pending.pc = reinterpret_cast<std::uint64_t>(start) + 1;
  *c->self_slot = t;
  *handle = c->handle;
  carriage_->prepare(*t, *c, &thread_entry);
  if (Event* e = scheduler_.performed(by, nullptr)) e->other = t->id;
  return t;
}

// The pool may have to grow: then a real thread is created in the middle of the execution.
Carrier* Engine::take_carrier(Thread& by, std::size_t stack) {
  if (carriers_.used() < carriers_.size() && stack <= CarrierPool::kDefaultStack)
    return carriers_.take(stack);
  InRuntime guard(by);
  pause_trap();
  const std::uint32_t before = carriers_.size();
  Carrier* c = carriers_.take(stack);
  if (c && carriers_.size() > before) snapshot::add_carrier(*c);
  resume_trap();
  return c;
}

Thread* Engine::find_thread(pthread_t handle) {
  if (const Carrier* c = start_carrier(); c && c->handle == handle) return c->thread;
  for (std::uint32_t i = 0; i < carriers_.used(); ++i)
    if (carriers_.handle(i) == handle) return carriers_.at(i)->thread;
  return nullptr;
}

const StackFrame* Engine::find_frame(Address a) {
  // A thread that has ended has no frames, one that has not begun has none yet.
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(static_cast<ThreadId>(i));
    if (t.finished || !t.carrier || !carrier_of(t).frames) continue;
    if (const StackFrame* f = carrier_of(t).frames->find(a)) return f;
  }
  return host_frames_->find(a);
}

Thread* Engine::find_thread_by_number(int tid) {
  // The first thread's is that of the process, whichever process this is.
  if (const Carrier* c = start_carrier(); c && tid == static_cast<int>(system_call(SYS_getpid)))
    return c->thread;
  for (std::uint32_t i = 0; i < carriers_.used(); ++i)
    if (carriers_.at(i)->tid == tid) return carriers_.at(i)->thread;
  return nullptr;
}

void Engine::end_thread(Thread& t) {
  t.exiting = true;
  const Address keys = scheduler_.exact() ? keys_of(t) : 0;
  if (keys || has_thread_destructors(t)) {
    scheduler_.announce(t, EventKind::thread_exit, keys, 0);
    scheduler_.point(t);
    if (StepLog* log = scheduler_.log()) log->performed(t, nullptr, Effect::nothing);
    run_thread_destructors(t);
  }
  model::mutex_owner_died(scheduler_, t);
  // The last thread of a program takes it along.
  if (start_carrier() && scheduler_.live() == 1) std::exit(0);
  if (scheduler_.gate()) scheduler_.gate_point(t, EventKind::thread_exit, 0, 0);
  scheduler_.announce(t, EventKind::thread_exit, 0, 0);
  scheduler_.mark(t, EventKind::thread_exit, 0, 0);
  scheduler_.finish(t);
}

// --- sites --------------------------------------------------------------------------------------

void Engine::clear_sites() {
  for (const Site& s : sites_) first_site_[filter_index(s.pc)] = 0;
  sites_.clear();
  std::memset(filter, scheduler_.settings().preempt == Preempt::all ? kPromoted : 0, sizeof filter);
  if (told_) watch_writes(true);
}

Engine::Site* Engine::find_site(std::uint64_t pc) {
  for (std::uint32_t i = first_site_[filter_index(pc)]; i != 0; i = sites_[i - 1].next)
    if (sites_[i - 1].pc == pc) return &sites_[i - 1];
  return nullptr;
}

void Engine::set_site(std::uint64_t pc, std::uint8_t flags) {
  const std::uint32_t at = filter_index(pc);
  filter[at] |= flags;
  if (Site* s = find_site(pc)) {
    s->flags |= flags;
  } else if (!sites_.full()) {
    sites_.push({pc, flags, first_site_[at]});
    first_site_[at] = static_cast<std::uint32_t>(sites_.size());
  }
}

void Engine::watch_writes(bool on) {
  told_ = on;
  set_everywhere(kTold, on);
}

void Engine::log_accesses(AccessLog* log, SharedPlaces* places, const Indices* skipped) {
  scheduler_.set_access_log(log);
  races_.collect_places(places);
  logged_ = places;
  skipped_ = skipped;
  for (const std::uint8_t flag : {kLogged, kLooked, kSkipped}) set_everywhere(flag, false);
}

// An execution before may have filled the log, or looked at places often enough.
void Engine::begin_logging() {
  if (!logged_) return set_everywhere(kLogged, true);
  std::memset(looks_, 0, sizeof looks_);
  for (std::uint32_t i = 0; i < kFilter; ++i) {
    const bool skip = skipped_ && skipped_->at[i];
    filter[i] = static_cast<std::uint8_t>((filter[i] & ~(kLooked | kSkipped)) |
                                          (skip ? kSkipped : kLooked));
  }
  for (std::uint32_t i = 0; i < logged_->count; ++i) set_site(logged_->pc[i], kLogged);
}

void Engine::set_everywhere(std::uint8_t flag, bool on) {
  for (std::uint8_t& f : filter) f = static_cast<std::uint8_t>(on ? f | flag : f & ~flag);
}

std::uint8_t Engine::site_flags(std::uint64_t pc) {
  const std::uint8_t flags = scheduler_.settings().preempt == Preempt::all ? kPromoted : 0;
  if (const Site* s = find_site(pc)) return flags | s->flags;
  if (!resolve_site) return flags;
  const std::uint8_t resolved = resolve_site(pc);
  set_site(pc, resolved);
  return flags | resolved;
}

void Engine::seal(Seal matches) {
  seal_ = matches;
  scheduler_.sealed_place = nullptr;
  if (matches)
    scheduler_.sealed_place = [](Thread& t, std::uint64_t pc) {
      return g_engine->is_sealed(t, pc, false);
    };
  seals_.clear();
  g_functions = seal_ || function_watcher_;
}

void Engine::watch_functions(FunctionWatcher watcher) {
  function_watcher_ = watcher;
  g_functions = seal_ || function_watcher_;
}

bool Engine::is_sealed(Thread& t, std::uint64_t pc, bool whole_function) {
  if (!seal_) return false;
  for (const Site& s : seals_)
    if (s.pc == pc) return s.flags != 0;
  InRuntime guard(t);
  const bool sealed = seal_(pc, whole_function);
  if (!seals_.full()) seals_.push({pc, static_cast<std::uint8_t>(sealed)});
  return sealed;
}

// --- heap --------------------------------------------------------------------------------------

void Engine::quarantine(void* block, std::size_t size) {
  constexpr std::size_t kMost = 64u << 20;
  quarantine_bytes_ += size;
  quarantine_.push({block, size});
  while ((quarantine_bytes_ > kMost || quarantine_.full()) &&
         quarantine_first_ < quarantine_.size()) {
    const Block b = quarantine_[quarantine_first_++];
    races_.forget(reinterpret_cast<Address>(b.at), b.size);
    quarantine_bytes_ -= b.size;
    heap_release(b.at);
    if (quarantine_.full() && quarantine_first_ == quarantine_.size()) {
      quarantine_.clear();
      quarantine_first_ = 0;
    }
  }
}

void Engine::release_quarantine() {
  for (std::size_t i = quarantine_first_; i < quarantine_.size(); ++i)
    heap_release(quarantine_[i].at);
  quarantine_.clear();
  quarantine_first_ = quarantine_bytes_ = 0;
}

void Engine::pause_trap() {
  if (carriage_ == &fiber_carriage() || !t_self || &carrier_of(*t_self) == start_carrier())
    selector_ = kTrapOff;
  if (Thread* t = t_self) carrier_of(*t).selector = kTrapOff;
}

void Engine::resume_trap() {
  Thread* t = t_self;
  const bool here = carriage_ == &fiber_carriage() || (t && &carrier_of(*t) == start_carrier());
  if (here) selector_ = kTrapOn;
  if (t) carrier_of(*t).selector = kTrapOn;
}

// --- findings ------------------------------------------------------------------------------------

// A place for breakpoints: called on the failing thread, its frames still there.
extern "C" __attribute__((visibility("default"), noinline, used)) void jostle_failed(
    const char* message) {
  asm volatile("" ::"r"(message) : "memory");
}

void Engine::fail(Thread& t, FindingKind kind, std::uint64_t pc, const char* file,
                  std::uint32_t line, const char* message, std::uint32_t code) {
  t.in_runtime = true;
  if (scheduler_.recording()) scheduler_.mark(t, EventKind::point, 0, pc);
  Problem& p = scheduler_.problem();
  p = {};
  p.kind = kind;
  p.place = {t.id, EventKind::point, pc,
             scheduler_.recording() ? scheduler_.recorder()->event_count() : 0};
  p.line = line;
  p.code = code;
  if (file) std::snprintf(p.file, sizeof p.file, "%s", file);
  std::snprintf(p.message, sizeof p.message, "%s", message);
  jostle_failed(p.message);
  scheduler_.fail(t, p);
}

void Engine::exited(Thread& t, int status, std::uint64_t pc) {
  // What its exit code means is its parent's business.
  if (family::is_child() && (status == 0 || !crash_being_handled())) family::end(status);
  if (exiting_) pc = exit_pc_;
  if (status == expected_exit_ && !family::several()) scheduler_.before_the_end(t, pc);
  family::finish_others();
  if (status == expected_exit_) scheduler_.stop(t);
  char message[160];
  if (const int crash = crash_being_handled()) {
    std::snprintf(message, sizeof message,
                  "%s, and its handler ended the program with exit code %d", signal_text(crash),
                  status);
    fail(t, FindingKind::crash, pc, nullptr, 0, message, static_cast<std::uint32_t>(crash));
  }
  std::snprintf(message, sizeof message, "the program ended with exit code %d", status);
  fail(t, FindingKind::exit_code, pc, nullptr, 0, message, static_cast<std::uint32_t>(status));
}

void Engine::print(int stream, std::uint64_t bytes) {
  printed_[stream] += bytes;
  Thread* t = self();
  if (printed_[stream] <= most_printed_ || !t) return;
  char message[80];
  std::snprintf(message, sizeof message, "the program printed more than %llu MB (option printed)",
                static_cast<unsigned long long>(most_printed_ >> 20));
  fail(*t, FindingKind::timeout, t->pending.pc, nullptr, 0, message);
}

void Engine::skip(Thread& t) {
  scheduler_.outcome().skipped = true;
  scheduler_.stop(t);
}

void Engine::uncontrolled(const char* what, std::uint64_t pc) {
  for (Uncontrolled& u : uncontrolled_)
    if (std::strncmp(u.what, what, sizeof u.what - 1) == 0) {
      ++u.count;
      return;
    }
  if (uncontrolled_.full()) return;
  Uncontrolled& u = uncontrolled_.append();
  std::snprintf(u.what, sizeof u.what, "%s", what);
  u.pc = pc;
  u.count = 1;
}

}  // namespace jostle

#include "runtime/attached.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "events/outcome.h"
#include "runtime/frames.h"
#include "runtime/real.h"
#include "runtime/system_call.h"
#include "runtime/tsan/access.h"

namespace jostle::attached {

bool on = false;

namespace {

using Slot = Board::Slot;

Board* g_board = nullptr;
std::uint32_t g_process = 0;
bool g_client = false;
pthread_key_t g_key;

thread_local constinit Slot* t_slot __attribute__((tls_model("initial-exec"))) = nullptr;
// In here already: a handler of a signal that came while the thread waits, or the C library.
thread_local constinit bool t_busy __attribute__((tls_model("initial-exec"))) = false;
thread_local constinit bool t_left __attribute__((tls_model("initial-exec"))) = false;

int* word(std::atomic<int>& a) { return reinterpret_cast<int*>(&a); }

// Not the private kind: the driver is another process.
void sleep_while(std::atomic<int>& a, int value) {
  system_call(SYS_futex, reinterpret_cast<long>(word(a)), FUTEX_WAIT, value, 0, 0, 0);
}

void tell() {
  g_board->news.fetch_add(1);
  if (g_board->asleep.load())
    system_call(SYS_futex, reinterpret_cast<long>(word(g_board->news)), FUTEX_WAKE, INT_MAX, 0, 0,
                0);
}

// Whoever looks for somebody need not look further than this.
void raise_to(std::atomic<std::uint32_t>& end, std::uint32_t value) {
  for (std::uint32_t now = end.load(); now < value && !end.compare_exchange_weak(now, value);) {
  }
}

Slot* claim() {
  const int tid = static_cast<int>(system_call(SYS_gettid));
  for (Slot& s : g_board->slots) {
    int nobody = 0;
    if (s.tid.load() != 0 || !s.tid.compare_exchange_strong(nobody, -1)) continue;
    s.at.store(0);
    s.ended.store(0);
    s.depth.store(0);
    s.process = g_process;
    s.stops.store(g_board->unknown_stops.load());
    s.tid.store(tid);
    raise_to(g_board->used_slots, static_cast<std::uint32_t>(&s - g_board->slots) + 1);
    pthread_setspecific(g_key, &s);
    return &s;
  }
  return nullptr;
}

Slot* own_slot() {
  if (!t_slot && !t_left) {
    t_busy = true;
    t_slot = claim();
    t_busy = false;
    if (!t_slot) t_left = true;  // there is no place left
    if (t_slot) tell();          // the driver may want it to stop
  }
  return t_slot;
}

void stop(Slot& s, EventKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc) {
  t_busy = true;
  const int error = errno;
  s.kind = static_cast<std::uint8_t>(kind);
  s.address = address;
  s.size = size;
  s.pc = pc;
  if (kind == EventKind::control) {
    std::strncpy(s.text, reinterpret_cast<const char*>(address), sizeof s.text - 1);
    s.text[sizeof s.text - 1] = 0;
  }
  s.at.store(1);
  tell();
  while (s.at.load() == 1) sleep_while(s.at, 1);
  errno = error;
  t_busy = false;
}

std::uint32_t whose(bool first) {
  return !first ? Board::kCreated : g_client ? Board::kClient : Board::kMainThread;
}

void end_slot() {
  Slot* s = t_slot;
  t_slot = nullptr;
  t_left = true;
  if (!s) return;
  s->ended.store(1);
  tell();
}

bool is_first() { return system_call(SYS_gettid) == system_call(SYS_getpid); }

void enlist() {
  const int pid = static_cast<int>(system_call(SYS_getpid));
  for (std::uint32_t i = 1; i < Board::kProcesses; ++i) {
    Board::Process& p = g_board->processes[i];
    int nobody = 0;
    if (!p.pid.compare_exchange_strong(nobody, -1)) continue;
    p.parent.store(static_cast<int>(system_call(SYS_getppid)));
    p.failed.store(0);
    g_process = i;
    p.pid.store(pid);
    raise_to(g_board->used_processes, i + 1);
    return;
  }
  on = false;  // too many
}

void forked() {
  if (!on) return;
  t_slot = nullptr;
  t_left = t_busy = false;
  enlist();
}

const char* name_of(int number) {
  const char* name = sigabbrev_np(number);
  return name ? name : "?";
}

// A worker of a server is reaped by the server itself: nobody else would hear of its crash.
void on_crash(int number, siginfo_t* info, void* context) {
  Board::Process& p = g_board->processes[g_process];
  if (!p.failed.load() && info->si_code != SI_USER) {
    p.kind = static_cast<int>(FindingKind::crash);
    p.pc =
        static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
    char* end = p.message;
    for (const char* part : {"SIG", name_of(number)}) end = stpcpy(end, part);
    p.failed.store(1);
    tell();
    // The driver reads what this process has loaded, if it is there to do so.
    const timespec second{1, 0};
    system_call(SYS_futex, reinterpret_cast<long>(word(p.failed)), FUTEX_WAIT, 1,
                reinterpret_cast<long>(&second), 0, 0);
  }
  raise(number);  // the default action, once this returns
}

void watch_crashes() {
  struct sigaction sa = {};
  sa.sa_sigaction = &on_crash;
  sa.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(number, &sa, nullptr);
  }
}

void attach(Board& board, bool client) {
  real::ready();
  g_board = &board;
  g_client = client;
  pthread_key_create(&g_key, [](void*) { leave(); });
  pthread_atfork(nullptr, nullptr, &forked);
  enlist();
  watch_crashes();
  on = true;
  g_functions = true;
  event_slow(EventKind::thread_start, 0, whose(true), 0);
}

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* run(void* p) {
  const Start s = *static_cast<Start*>(p);
  std::free(p);
  event_slow(EventKind::thread_start, 0, Board::kCreated,
             reinterpret_cast<std::uint64_t>(s.function));
  return s.function(s.argument);  // leave() follows: the destructor of the key
}

}  // namespace

void attach_program() {
  const char* path = std::getenv(kBoardVariable);
  if (!path) return;
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;  // the script has ended
  void* p = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED || static_cast<Board*>(p)->version != kBoardVersion) {
    std::fprintf(stderr,
                 "jostle: this program and the script were built with different versions\n");
    _exit(125);
  }
  attach(*static_cast<Board*>(p), false);
}

void attach_client(Board& board) { attach(board, true); }

void leave() {
  if (!on || t_left) return;
  event_slow(EventKind::thread_exit, 0, whose(is_first()), 0);
  end_slot();
}

void event_slow(EventKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc) {
  if (t_busy) return;
  Slot* s = own_slot();
  if (s && (s->stops.load(std::memory_order_relaxed) >> static_cast<unsigned>(kind) & 1))
    stop(*s, kind, address, size, pc);
}

static void take_registers(Slot& s, EventKind kind, const std::atomic<int>& wanted,
                           std::uint64_t pc) {
  s.registers.pc = 0;
  if (!wanted.load(std::memory_order_relaxed) ||
      !(s.stops.load() >> static_cast<unsigned>(kind) & 1))
    return;
  t_busy = true;
  registers_at(pc, s.registers);
  t_busy = false;
}

void enter_function(std::uint64_t pc) {
  if (t_busy) return;
  Slot* s = own_slot();
  if (!s) return;
  const std::uint32_t d = s->depth.load(std::memory_order_relaxed);
  if (d < Board::kDepth) s->calls[d] = pc;
  s->depth.store(d + 1, std::memory_order_release);
  take_registers(*s, EventKind::function_enter, g_board->arguments, pc);
  event_slow(EventKind::function_enter, pc, 0, pc);
}

void leave_function(std::uint64_t pc) {
  if (t_busy) return;
  Slot* s = t_slot;
  if (!s) return;
  const std::uint32_t d = s->depth.load(std::memory_order_relaxed);
  take_registers(*s, EventKind::function_return, g_board->results, pc);
  // The hook may have been jumped to: only the place where the function began tells which it is.
  event_slow(EventKind::function_return, d > 0 && d <= Board::kDepth ? s->calls[d - 1] : 0, 0, pc);
  if (d > 0) s->depth.store(d - 1, std::memory_order_release);
}

void* (*wrap(void* (*start)(void*), void*& argument))(void*) {
  if (!on) return start;
  auto* s = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (!s) return start;
  *s = {start, argument};
  argument = s;
  return &run;
}

void failed(int kind, const char* message, const char* file, unsigned line) {
  if (!on) return;
  Board::Process& p = g_board->processes[g_process];
  if (p.failed.load()) return;
  p.kind = kind;
  p.pc = 0;
  std::snprintf(p.message, sizeof p.message, "%s (%s:%u)", message, file, line);
  p.failed.store(1);
  tell();
}

}  // namespace jostle::attached

#include "script/system_conductor.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "report/frames.h"
#include "runtime/attached.h"
#include "script/mistake.h"
#include "script/modules.h"
#include "script/names.h"
#include "script/warden.h"
#include "trace/file_io.h"

namespace jostle::scripts {

using scripting::Others;
using scripting::Place;
using scripting::Tid;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAll = ~0ull;
constexpr double kAsleepFor = 0.010;  // seconds after which a thread that sleeps is blocked
constexpr double kTick = 0.005;       // seconds between looks at what nobody tells

constexpr std::uint64_t bit(EventKind k) { return 1ull << static_cast<unsigned>(k); }

SystemConductor* g_system = nullptr;

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Is there such a process, and not only what its parent has not fetched yet?
bool alive(int pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!text) return false;
  const std::size_t end = text->rfind(')');
  return end != std::string::npos && end + 2 < text->size() && (*text)[end + 2] != 'Z' &&
         (*text)[end + 2] != 'X';
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return std::string("died of SIG") + (name ? name : "?");
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

std::string last_lines(const std::string& text) {
  std::size_t at = text.size();
  for (int lines = 0; at > 0 && lines < 10; --at)
    if (text[at - 1] == '\n' && at != text.size()) {
      if (++lines == 10) break;
    }
  std::string out;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (i == at) out += "    ";
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "    ";
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

// Beside a folder that this program is in, or the jostle command.
std::string library() {
  std::error_code none;
  std::vector<fs::path> places;
  for (fs::path p = fs::read_symlink("/proc/self/exe", none).parent_path(); p != p.parent_path();
       p = p.parent_path())
    places.push_back(p);
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (std::size_t i = 0; i < path.size();) {
    const std::size_t j = std::min(path.find(':', i), path.size());
    const fs::path dir = path.substr(i, j - i);
    if (fs::exists(dir / "jostle", none)) places.push_back(dir.parent_path());
    i = j + 1;
  }
  for (const fs::path& p : places)
    for (const char* dir : {"lib", "lib64", "lib/x86_64-linux-gnu"})
      if (fs::path f = p / dir / "libjostle_program.so"; fs::exists(f, none)) return f.string();
  return "";
}

void run_program(const std::vector<std::string>& command, const std::string& board,
                 const std::string& preload, Board::Start& start) {
  setenv(kBoardVariable, board.c_str(), 1);
  if (!preload.empty()) {
    const char* before = std::getenv("LD_PRELOAD");
    setenv("LD_PRELOAD", (preload + (before && *before ? std::string(":") + before : "")).c_str(),
           1);
  }
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  start.error = errno;
  _exit(127);
}

void run_client(const std::function<void()>& function, Board& board) {
  attached::attach_client(board);
  int code = 0;
  try {
    function();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "exception: %s\n", e.what());
    attached::failed(static_cast<int>(FindingKind::exception), e.what(), "", 0);
    code = 1;
  } catch (...) {
    attached::failed(static_cast<int>(FindingKind::exception), "not a std::exception", "", 0);
    code = 1;
  }
  std::fflush(nullptr);
  attached::leave();
  _exit(code);
}

void redirect(int output) {
  dup2(output, 1);
  dup2(output, 2);
  if (const int in = open("/dev/null", O_RDONLY); in > 0) {
    dup2(in, 0);
    close(in);
  }
}

}  // namespace

SystemConductor& system_conductor(const Place& at) {
  if (!g_system) throw Mistake(at, "this function is for scripts of jostle::script_system()");
  return *g_system;
}

SystemConductor::SystemConductor(const std::function<void()>& script, scripting::Oracle& oracle,
                                 double patience)
    : Conductor(script, oracle), patience_(patience), started_(1), asleep_(Board::kThreads) {
  memory_ = memfd_create("jostle-system", MFD_CLOEXEC);
  if (memory_ < 0 || ftruncate(memory_, sizeof(Board)) != 0) return;
  void* p = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (p == MAP_FAILED) return;
  board_ = static_cast<Board*>(p);
  board_->version = kBoardVersion;
  g_system = this;
  modules().use(true);
}

SystemConductor::~SystemConductor() {
  modules().use(false);
  g_system = nullptr;
  if (board_) {
    end_kept();
    munmap(board_, sizeof(Board));
  }
  if (memory_ >= 0) close(memory_);
}

// --- one execution -------------------------------------------------------------------------------

void SystemConductor::execute() {
  reset();
  failure_ = {};
  others_ = Others::free;
  board_->unknown_stops.store(bit(EventKind::thread_start));
  try {
    perform();
    if (finished_) wait_for_clients();
  } catch (const Over&) {
  }
  over_ = true;
  clean_up();
}

void SystemConductor::wait_for_clients() {
  set_all_free();
  const double until = now() + patience_;
  for (;;) {
    notice_ends();
    notice_failures();
    std::string left;
    for (unsigned i = 1; i < started_.size(); ++i)
      if (started_[i].client && running(i)) left = started_[i].name;
    if (left.empty()) return;
    if (now() > until) {
      SystemFailure f;
      f.kind = FindingKind::timeout;
      f.message = "the script has ended, and a client does not: " + left;
      stop(std::move(f));
    }
    sleep(kTick);
  }
}

void SystemConductor::set_all_free() {
  board_->unknown_stops.store(0);
  for (std::uint32_t i = 0; i < board_->used_slots.load(); ++i) {
    Board::Slot& s = board_->slots[i];
    if (s.tid.load() == 0) continue;
    s.stops.store(0);
    if (s.at.load() == 1) go(static_cast<ThreadId>(i));
  }
}

void SystemConductor::clean_up() {
  for (unsigned i = 1; i < started_.size(); ++i)
    if (!started_[i].kept || !running(i)) end(i);
  set_all_free();
  // Places of who has ended are free again.
  for (std::uint32_t i = 1; i < board_->used_processes.load(); ++i) {
    Board::Process& p = board_->processes[i];
    if (p.pid.load() == 0 || alive(p.pid.load())) continue;
    for (std::uint32_t t = 0; t < board_->used_slots.load(); ++t)
      if (Board::Slot& s = board_->slots[t]; s.process == i) s.tid.store(0);
    modules().forget(i);
    p.pid.store(0);
  }
  for (std::uint32_t t = 0; t < board_->used_slots.load(); ++t)
    if (Board::Slot& s = board_->slots[t]; s.ended.load()) s.tid.store(0);
  while (started_.size() > 1 && started_.back().warden < 0) started_.pop_back();
  look_around();
}

void SystemConductor::end(unsigned process) {
  Started& s = started_[process];
  if (s.warden >= 0) end_guarded(s.warden);
  if (s.output >= 0) close(s.output);
  s.warden = s.output = -1;
  s.client = s.kept = false;
}

void SystemConductor::end_kept() {
  for (unsigned i = 1; i < started_.size(); ++i) end(i);
  clean_up();
}

// --- processes -----------------------------------------------------------------------------------

unsigned SystemConductor::start(const std::vector<std::string>& command, bool kept,
                                const Place& at) {
  if (command.empty()) throw Mistake(at, "there is no program to start");
  if (kept)
    for (unsigned i = 1; i < started_.size(); ++i)
      if (started_[i].kept && started_[i].command == command && running(i)) return i;
  std::string preload;
  const auto bytes = read_file(command[0], std::size_t{1} << 32);
  if (!bytes || (bytes->find("jostle_runtime_linked") == std::string::npos &&
                 bytes->find("libjostle_program.so") == std::string::npos)) {
    preload = library();
    if (preload.empty())
      throw Mistake(at, "'" + command[0] + "' was not built with 'jostle cc', and " +
                            "libjostle_program.so, which could be loaded into it, is neither in a "
                            "lib folder beside this program nor beside the jostle command");
  }
  const std::string board = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory_);
  Started s;
  s.name = std::string(report::base_name(command[0]));
  s.command = command;
  s.kept = kept;
  Board& b = *board_;
  const unsigned n = static_cast<unsigned>(started_.size());
  return start(std::move(s), [&] { run_program(command, board, preload, b.starts[n]); }, at);
}

unsigned SystemConductor::start(const std::function<void()>& function, const Place& at) {
  Started s;
  s.name = "client";
  s.client = true;
  return start(std::move(s), [&] { run_client(function, *board_); }, at);
}

unsigned SystemConductor::start(Started s, const std::function<void()>& child, const Place& at) {
  const unsigned n = static_cast<unsigned>(started_.size());
  if (n == Board::kProcesses)
    throw Mistake(at, "a script can start " + std::to_string(Board::kProcesses - 1) + " processes");
  Board::Start& record = board_->starts[n];
  record.pid.store(0);
  record.ended.store(0);
  record.error = 0;
  s.output = memfd_create("jostle-output", MFD_CLOEXEC);
  fcntl(s.output, F_SETFL, O_APPEND);
  s.warden = start_guarded(*board_, record, [&] {
    redirect(s.output);
    child();
  });
  if (s.warden < 0) throw Mistake(at, std::string("cannot fork: ") + std::strerror(errno));
  started_.push_back(std::move(s));
  await_attachment(n, at);
  return n;
}

// Its names are known from then on, and it stands at its beginning.
void SystemConductor::await_attachment(unsigned process, const Place& at) {
  const Board::Start& record = board_->starts[process];
  const double until = now() + std::max(patience_, 10.0);  // programs start as slowly as they like
  const std::string what = "'" + started_[process].name + "'";
  for (;;) {
    if (const int pid = record.pid.load())
      for (std::uint32_t i = 1; i < board_->used_processes.load(); ++i)
        if (board_->processes[i].pid.load() == pid) {
          modules().read_maps(i, pid);
          return;
        }
    if (record.ended.load()) {
      started_[process].told = true;
      if (record.error)
        throw Mistake(at, what + " cannot be started: " + std::strerror(record.error));
      throw Mistake(at, what + " " + end_text(record.status) + " before its main()\n" +
                            last_lines(output(process)));
    }
    if (now() > until)
      throw Mistake(at, what +
                            " does not take part: it is linked statically, or has no "
                            "libjostle_program.so in it. Build it with 'jostle cc'");
    sleep(kTick);
  }
}

int SystemConductor::pid(unsigned process) const {
  return process < started_.size() ? board_->starts[process].pid.load() : 0;
}

bool SystemConductor::running(unsigned process) const {
  return process > 0 && process < started_.size() && started_[process].warden >= 0 &&
         !board_->starts[process].ended.load();
}

std::string SystemConductor::output(unsigned process) const {
  std::string text;
  struct stat st;
  if (process >= started_.size() || fstat(started_[process].output, &st) != 0) return text;
  text.resize(static_cast<std::size_t>(st.st_size));
  const ssize_t n = pread(started_[process].output, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

int SystemConductor::wait_for_end(unsigned process, const Place& at) {
  if (process == 0 || process >= started_.size()) throw Mistake(at, "there is no such process");
  started_[process].waited_for = true;
  wait_until([&] { return !running(process); }, "the end of '" + started_[process].name + "'", at);
  const int status = board_->starts[process].status;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void SystemConductor::signal(unsigned process, int number) {
  if (!running(process)) return;
  started_[process].told = true;
  kill(pid(process), number);
}

// Which of the started ones it belongs to: itself, or the one that it descends from.
unsigned SystemConductor::root(std::uint32_t board_process) const {
  int wanted = board_->processes[board_process].pid.load();
  for (std::uint32_t steps = 0; steps < Board::kProcesses; ++steps) {
    for (unsigned i = 1; i < started_.size(); ++i)
      if (started_[i].warden >= 0 &&
          (board_->starts[i].pid.load() == wanted || started_[i].warden == wanted))
        return i;
    int next = 0;
    for (std::uint32_t i = 1; i < board_->used_processes.load() && next == 0; ++i)
      if (board_->processes[i].pid.load() == wanted) next = board_->processes[i].parent.load();
    if (next == 0) break;
    wanted = next;
  }
  return 0;
}

// --- what has happened ---------------------------------------------------------------------------

void SystemConductor::look_around() {
  threads_ = 0;
  for (std::uint32_t i = board_->used_slots.load(); i > 0 && threads_ == 0; --i)
    if (board_->slots[i - 1].tid.load() > 0) threads_ = i;
}

// Threads of a process that is gone come to their end, as far as the script is concerned.
void SystemConductor::notice_ends() {
  if (now() - looked_ < kTick) return;
  looked_ = now();
  for (std::uint32_t i = 1; i < board_->used_processes.load(); ++i) {
    const int pid = board_->processes[i].pid.load();
    if (pid <= 0 || alive(pid)) continue;
    for (std::uint32_t t = 0; t < board_->used_slots.load(); ++t) {
      Board::Slot& s = board_->slots[t];
      if (s.tid.load() <= 0 || s.process != i || s.ended.load()) continue;
      if (s.at.load() == 1 && s.kind == static_cast<std::uint8_t>(EventKind::thread_exit)) continue;
      s.kind = static_cast<std::uint8_t>(EventKind::thread_exit);
      s.address = s.pc = 0;
      s.size = Board::kMainThread;
      s.at.store(1);
      evaluated_.remove(static_cast<ThreadId>(t));
    }
  }
}

void SystemConductor::notice_failures() {
  for (std::uint32_t i = 1; i < board_->used_processes.load(); ++i) {
    Board::Process& p = board_->processes[i];
    if (p.pid.load() <= 0 || !p.failed.load()) continue;
    const unsigned process = root(i);
    SystemFailure f;
    f.kind = static_cast<FindingKind>(p.kind);
    f.message = (process ? started_[process].name + ": " : "") + p.message;
    if (p.pc) {
      const report::Frame at = frame_of(modules().canonical(i, p.pid.load(), p.pc) + 1);
      f.function = report::short_function(at.function);
      f.file = at.file;
      f.line = at.line;
      if (!f.function.empty()) f.message += " in " + f.function;
    }
    p.failed.store(0);
    syscall(SYS_futex, &p.failed, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    if (!process || !started_[process].told) stop(std::move(f));
  }
  for (unsigned i = 1; i < started_.size(); ++i) {
    Started& s = started_[i];
    if (s.warden < 0 || s.told || running(i)) continue;
    s.told = true;
    const int status = board_->starts[i].status;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || s.waited_for)) continue;
    SystemFailure f;
    f.kind = WIFSIGNALED(status) ? FindingKind::crash : FindingKind::exit_code;
    f.message = s.name + " " + end_text(status);
    stop(std::move(f));
  }
}

// --- who may go on -------------------------------------------------------------------------------

bool SystemConductor::holds(ThreadId t) const {
  if (slot(t).kind == static_cast<std::uint8_t>(EventKind::thread_exit)) return false;
  if (wanted_.threads.has(Tid(t)) && wanted_.until != Until::unblocked) return false;
  return bound_.has(t) ? !released_.has(t) : others_ == Others::blocked;
}

void SystemConductor::go(ThreadId t) {
  Board::Slot& s = slot(t);
  released_.remove(t);
  evaluated_.remove(t);
  asleep_[t] = {};
  if (s.kind == static_cast<std::uint8_t>(EventKind::thread_exit)) s.ended.store(1);
  s.at.store(0);
  syscall(SYS_futex, &s.at, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// First says where threads stop, then lets them go: nobody runs past what is waited for.
void SystemConductor::let_threads_go() {
  const std::uint64_t wanted =
      wanted_.predicate ? wanted_.predicate->kinds() | bit(EventKind::thread_exit) : 0;
  const std::uint64_t rest = others_ == Others::blocked ? kAll : 0;
  const bool wanted_stop = wanted_.until != Until::unblocked;
  board_->arguments.store(g_arguments);
  board_->results.store(g_results);
  board_->unknown_stops.store((wanted_.threads.open() && wanted_stop ? wanted : rest) |
                              bit(EventKind::thread_start));
  for (std::uint32_t i = 0; i < threads_; ++i) {
    const auto t = static_cast<ThreadId>(i);
    Board::Slot& s = slot(t);
    const std::uint64_t stops = wanted_stop && wanted_.threads.has(Tid(t)) ? wanted
                                : bound_.has(t)                            ? kAll
                                                                           : rest;
    if (s.stops.load(std::memory_order_relaxed) != stops) s.stops.store(stops);
  }
  for (std::uint32_t i = 0; i < threads_; ++i) {
    const auto t = static_cast<ThreadId>(i);
    if (slot(t).at.load() != 1 || holds(t)) continue;
    const bool fresh = wanted_stop && wanted_.threads.has(Tid(t)) && !evaluated_.has(t);
    if (!fresh || released_.has(t)) go(t);
  }
}

void SystemConductor::sleep(double seconds) {
  const timespec t{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  board_->asleep.store(1);
  syscall(SYS_futex, &board_->news, FUTEX_WAIT, seen_news_, &t, nullptr, 0);
  board_->asleep.store(0);
  seen_news_ = board_->news.load();
}

void SystemConductor::begin_wait() { since_ = now(); }

// Who may go on does, until something has happened.
void SystemConductor::advance() {
  seen_news_ = board_->news.load();
  look_around();
  let_threads_go();
  sleep(kTick);
  look_around();
  notice_ends();
  notice_failures();
}

void SystemConductor::pause() {
  advance();
  if (hopeless() && wanted_.predicate) {
    bool before_event = false;
    for (std::uint32_t i = 0; i < threads_; ++i)
      before_event |= wanted_.threads.has(Tid(static_cast<std::uint16_t>(i))) &&
                      at_event(static_cast<ThreadId>(i)) &&
                      !evaluated_.has(static_cast<ThreadId>(i));
    if (!before_event) give_up("");
  }
  if (now() - since_ > patience_) {
    char text[80];
    std::snprintf(text, sizeof text, "that did not happen within %g seconds (option timeout)",
                  patience_);
    give_up(text);
  }
}

void SystemConductor::wait_until(const std::function<bool()>& holds, const std::string& what,
                                 const Place& at) {
  wanted_ = {};
  wanted_.at = at;
  begin_wait();
  while (!holds()) {
    advance();
    if (now() - since_ > patience_) {
      over_ = true;
      stuck_ = text_of(at) + ": the script cannot go on: it waits for " + what + everything();
      throw Over();
    }
  }
}

void SystemConductor::give_up(const std::string& why) {
  over_ = true;
  stuck_ = describe(why, states());
  throw Over();
}

void SystemConductor::stop(SystemFailure f) {
  if (wanted_.at.line()) f.states = "\n  the script is at " + text_of(wanted_.at);
  f.states += everything();
  failure_ = std::move(f);
  over_ = true;
  throw Over();
}

void SystemConductor::fail(const std::string& message, const Place& at) {
  SystemFailure f;
  f.kind = FindingKind::assertion;
  f.message = message;
  f.file = at.file_name();
  f.line = at.line();
  stop(std::move(f));
}

// --- Conductor -----------------------------------------------------------------------------------

void SystemConductor::others(Others what) {
  if (what == Others::searched)
    throw Mistake(wanted_.at,
                  "others(): threads of other processes run at the same time: they can be free or "
                  "blocked, not searched");
  others_ = what;
}

void SystemConductor::others(const std::string&, const Place& at) {
  throw Mistake(at,
                "others(): threads of other processes run at the same time: they can be free or "
                "blocked, and follow no strategy");
}

bool SystemConductor::has_ended(Tid t) const {
  if (t.number() >= threads_) return false;
  const Board::Slot& s = slot(t.number());
  return s.ended.load() ||
         (s.at.load() == 1 && s.kind == static_cast<std::uint8_t>(EventKind::thread_exit));
}

// Asleep, not because of us, and without having run in between.
bool SystemConductor::is_blocked(Tid t) const {
  if (t.number() >= threads_ || has_ended(t)) return false;
  const Board::Slot& s = slot(t.number());
  Sleep& before = asleep_[t.number()];
  if (s.at.load() == 1) {
    before = {};
    return false;
  }
  const std::string task = "/proc/" + std::to_string(board_->processes[s.process].pid.load()) +
                           "/task/" + std::to_string(s.tid.load());
  const auto stat = read_file(task + "/stat", 4096);
  const auto times = read_file(task + "/schedstat", 4096);
  if (!stat || !times) return false;
  const std::size_t end = stat->rfind(')');
  const char state = end + 2 < stat->size() ? (*stat)[end + 2] : '?';
  const unsigned long long ran = std::strtoull(times->c_str(), nullptr, 10);
  if (state != 'S' || s.at.load() == 1) {
    before = {};
    return false;
  }
  if (before.since == 0 || before.ran != ran) {
    before = {now(), ran};
    return false;
  }
  return now() - before.since >= kAsleepFor;
}

bool SystemConductor::at_event(ThreadId t) const {
  return t < threads_ && slot(t).tid.load() > 0 && !slot(t).ended.load() &&
         slot(t).at.load() == 1 && !released_.has(t);
}

scripting::Event SystemConductor::event_of(ThreadId t) const {
  const Board::Slot& s = slot(t);
  const int pid = board_->processes[s.process].pid.load();
  auto& m = modules();
  Address address = 0;
  switch (static_cast<EventKind>(s.kind)) {
    case EventKind::control:
      address = reinterpret_cast<Address>(
          const_cast<std::set<std::string>&>(points_).insert(s.text).first->c_str());
      break;
    case EventKind::function_enter:
    case EventKind::function_return:
      address = m.canonical(s.process, pid, s.address);
      if (const Module* module = m.at(address)) address = module->function_start(address);
      break;
    default:
      address = m.canonical(s.process, pid, s.address);
  }
  return {Tid(t), s.kind, address, s.size, m.canonical(s.process, pid, s.pc), root(s.process)};
}

bool SystemConductor::inside(ThreadId t, const std::vector<Address>& starts) const {
  if (!at_event(t) && !(t < threads_ && slot(t).at.load() == 1)) return false;
  const Board::Slot& s = slot(t);
  const int pid = board_->processes[s.process].pid.load();
  for (std::uint32_t d = 0; d < std::min(s.depth.load(), Board::kDepth); ++d) {
    const Address a = modules().canonical(s.process, pid, s.calls[d]);
    const Module* m = modules().at(a);
    if (m && std::binary_search(starts.begin(), starts.end(), m->function_start(a))) return true;
  }
  return false;
}

std::uint64_t SystemConductor::memory(const scripting::Event& e) const {
  std::uint64_t v = 0;
  const ThreadId t = e.thread.number();
  return read_memory(t, modules().raw(slot(t).process, e.address), e.size, &v) ? v : 0;
}

bool SystemConductor::read_memory(ThreadId t, Address raw, std::uint64_t bytes, void* out) const {
  const iovec here{out, bytes}, there{reinterpret_cast<void*>(raw), bytes};
  return process_vm_readv(board_->processes[slot(t).process].pid.load(), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(bytes);
}

report::Parameter SystemConductor::parameter_of(ThreadId t, const std::string& name,
                                                unsigned number) const {
  const Board::Slot& s = slot(t);
  const Address pc =
      modules().canonical(s.process, board_->processes[s.process].pid.load(), s.registers.pc);
  if (const Module* m = modules().at(pc)) return m->parameter(pc, s.registers, name, number);
  report::Parameter none;
  none.problem = "its file is not known";
  return none;
}

report::Parameter SystemConductor::result_of(ThreadId t, Address function) const {
  const Board::Slot& s = slot(t);
  const Address end =
      modules().canonical(s.process, board_->processes[s.process].pid.load(), s.registers.pc);
  if (const Module* m = modules().at(function)) return m->result(function, end);
  report::Parameter none;
  none.problem = "its file is not known";
  return none;
}

// --- what to tell --------------------------------------------------------------------------------

std::string SystemConductor::name_of(ThreadId t) const {
  const Board::Slot& s = slot(t);
  const unsigned process = root(s.process);
  return "T" + std::to_string(t) + " (" + (process ? started_[process].name : "?") + " " +
         std::to_string(board_->processes[s.process].pid.load()) + ")";
}

std::vector<Conductor::State> SystemConductor::states() const {
  std::vector<State> all;
  for (std::uint32_t i = 0; i < threads_; ++i) {
    const auto t = static_cast<ThreadId>(i);
    if (slot(t).tid.load() <= 0) continue;
    const bool stands = slot(t).at.load() == 1;
    all.push_back({t, stands ? event_of(t) : scripting::Event(), has_ended(Tid(t)),
                   stands && holds(t), stands, !stands});
  }
  return all;
}

std::string SystemConductor::everything() const {
  std::string text = state_text(states());
  for (unsigned i = 1; i < started_.size(); ++i)
    if (const std::string printed = output(i); !printed.empty())
      text += "\n  " + started_[i].name + " has printed:\n" + last_lines(printed);
  return text;
}

void SystemConductor::remember_mistake() { mistake_ = describe(mistake_, states()); }

}  // namespace jostle::scripts

// --- for scripts ---------------------------------------------------------------------------------

namespace jostle::scripting {

using scripts::system_conductor;

int Process::pid() const { return system_conductor(Place::current()).pid(number_); }
bool Process::running() const { return system_conductor(Place::current()).running(number_); }
std::string Process::output() const { return system_conductor(Place::current()).output(number_); }
int Process::wait(Place at) const { return system_conductor(at).wait_for_end(number_, at); }
void Process::signal(int number) const {
  system_conductor(Place::current()).signal(number_, number);
}

Process start(std::vector<std::string> command, Place at) {
  return Process(system_conductor(at).start(command, false, at));
}
Process keep(std::vector<std::string> command, Place at) {
  return Process(system_conductor(at).start(command, true, at));
}
Process client(std::function<void()> function, Place at) {
  return Process(system_conductor(at).start(function, at));
}

Predicate in(const Process& p) {
  return {Predicate::kAll, [n = p.number()] { return "anything in process " + std::to_string(n); },
          [n = p.number()](const Event& e) { return e.process == n; }};
}

void wait_until(const std::function<bool()>& holds, Place at) {
  system_conductor(at).wait_until(holds, "what the function says", at);
}

void check(bool condition, const std::string& message, Place at) {
  if (!condition) system_conductor(at).fail(message, at);
}

}  // namespace jostle::scripting

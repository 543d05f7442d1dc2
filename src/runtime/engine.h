// The target side's half of an executor: carries out plans in this process.
#pragma once

#include "analysis/race.h"
#include "events/plan.h"
#include "runtime/backend.h"
#include "runtime/carrier.h"
#include "sched/recorder.h"
#include "sched/scheduler.h"

namespace jostle {

struct Body {
  void (*call)(void* context);
  void* context;
};

// Places that pass through the hook's filter: see tsan/access.cc.
enum SiteFlag : std::uint8_t {
  kPromoted = 1,  // a scheduling point
  kWatched = 2,   // recorded with its call stack
  kRecorded = 4,  // recorded
  kTold = 8,      // writes are told to the scheduler
  kLogged = 16,   // entered in the scheduler's log of accesses
  kLooked = 32,   // looked at: does it touch what other threads do?
  kSkipped = 64,  // left alone, unless another flag says otherwise
};

// Something the program did that Jostle does not control, and how often.
struct Uncontrolled {
  char what[64];
  std::uint64_t pc;
  std::uint32_t count;
};

class Engine {
 public:
  Engine();

  void configure(const Settings& settings, bool kernel_threads);
  // Executes the body once. The recorder may be null.
  const Outcome& execute(const Plan& plan, const Profile& profile, Strategy& strategy,
                         const Body& body, Recorder* recorder);

  Scheduler& scheduler() { return scheduler_; }
  RaceDetector& races() { return races_; }
  CarrierPool& carriers() { return carriers_; }
  const Carriage& carriage() const { return *carriage_; }

  // --- threads of the program -----------------------------------------------------------
  Thread* start_thread(Thread& by, void* (*start)(void*), void* argument, std::size_t stack,
                       bool detached, std::uint64_t pc, pthread_t* handle) noexcept;
  Thread* find_thread(pthread_t handle);
  [[noreturn]] void end_thread(Thread& t);
  // While recording: the call, on any stack, whose frame holds the address; null if none does.
  const StackFrame* find_frame(Address a);
  // By what gettid() gives it; null if it is none of ours.
  Thread* find_thread_by_number(int tid);
  // Where unwinding a thread stops: beyond it nothing may be thrown.
  [[gnu::noinline]] static void outermost_frame(Engine& e);

  // --- which plain accesses are more than that ------------------------------------------------
  void clear_sites();
  void set_site(std::uint64_t pc, std::uint8_t flags);
  std::uint8_t site_flags(std::uint64_t pc);
  void watch_writes(bool on);
  // Until the sites are cleared.
  void record_accesses() { set_everywhere(kRecorded, true); }
  static std::uint32_t filter_index(std::uint64_t pc) {
    return static_cast<std::uint32_t>((pc ^ (pc >> 13)) & (kFilter - 1));
  }
  static constexpr std::uint32_t kFilter = 1u << 13;
  std::uint8_t filter[kFilter];  // union of the flags of all sites with that index

  // Places by their index in the filter.
  struct Indices {
    bool at[kFilter];
  };
  // All accesses of executions to come are entered there; null: no longer. With `places`: only
  // those at places that it has when an execution begins; what is found then is added. `skipped`:
  // accesses there are not even looked at, nor does the race detector see them, unless the place
  // is one of those or special otherwise.
  void log_accesses(AccessLog* log, SharedPlaces* places = nullptr,
                    const Indices* skipped = nullptr);
  bool logs_all() const { return scheduler_.access_log() && !logged_; }
  // Of the last execution, if it was logged at some places only: what was executed often.
  void add_frequent(Indices& out) const {
    for (std::uint32_t i = 0; i < kFilter; ++i) out.at[i] |= looks_[i] == kEnough;
  }
  // An access at a site with kLooked. What is executed often without touching what is shared is
  // left alone for the rest of the execution: the race detector still sees most of it.
  void looked_at(std::uint64_t pc) {
    const std::uint32_t i = filter_index(pc);
    if (++looks_[i] == kEnough) filter[i] = static_cast<std::uint8_t>(filter[i] & ~kLooked);
  }

  // Tells what a site is that set_site() has not named; asked once per site. Null: nothing.
  std::uint8_t (*resolve_site)(std::uint64_t pc) = nullptr;
  // Is the function that contains `pc` sealed from preemption? Asked once per place.
  // `whole_function`: pc is a function's entry or exit; else one place in it, which may belong to
  // a function that was inlined there.
  using Seal = bool (*)(std::uint64_t pc, bool whole_function);
  void seal(Seal matches);
  bool is_sealed(Thread& t, std::uint64_t pc, bool whole_function);
  // Called when a controlled thread enters or is about to leave a function that was compiled with
  // the hooks; null: nobody wants to know, and the hooks cost what they cost without.
  using FunctionWatcher = void (*)(Thread& t, std::uint64_t pc, bool enters);
  void watch_functions(FunctionWatcher watcher);
  FunctionWatcher function_watcher() const { return function_watcher_; }

  // --- heap -----------------------------------------------------------------------------------
  void quarantine(void* block, std::size_t size);
  // What the program frees there is looked at, and may be no memory at all: a crash meanwhile means
  // that. Null: no longer.
  struct Freed {
    const void* block;
    std::uint64_t pc;
  };
  void look_at(Freed f) { looked_at_ = f; }
  Freed looked_at() const { return looked_at_; }
  // What the last execution freed goes back to the allocator. The next one does so by itself.
  void release_quarantine();

  // --- findings that the program itself reports -------------------------------------------------
  [[noreturn]] void fail(Thread& t, FindingKind kind, std::uint64_t pc, const char* file,
                         std::uint32_t line, const char* message, std::uint32_t code = 0);

  [[noreturn]] void skip(Thread& t);
  // A whole program came to its end: by itself, a failure only if the code is not the expected one.
  [[noreturn]] void exited(Thread& t, int status, std::uint64_t pc);
  // The program has written so many bytes to its standard output or error.
  void print(int stream, std::uint64_t bytes);
  std::uint64_t printed(int stream) const { return printed_[stream]; }
  void limit_printed(std::uint64_t bytes) { most_printed_ = bytes; }
  // exit() was called there; what follows is the C library's business. 0: main() has returned.
  void leaving_from(std::uint64_t pc) { exit_pc_ = pc, exiting_ = true; }
  void expect_exit(int status) { expected_exit_ = status; }

  void uncontrolled(const char* what, std::uint64_t pc);
  const MappedVector<Uncontrolled>& all_uncontrolled() const { return uncontrolled_; }
  void forget_uncontrolled() { uncontrolled_.clear(); }

  void pause_trap();
  void resume_trap();
  // In a forked child: what the kernel does not hand down is set up again.
  void after_fork() {
    trap_armed_ = false;
    after_fork_ = true;
  }
  // The same in the middle of an execution, which goes on there.
  void rearm();
  // Makes carriers before forking: the memory is all that a child's fibers need of them.
  void warm_up(std::uint32_t threads);

  bool running() const { return running_; }
  // Of the execution that runs.
  const Plan& plan() const { return *plan_; }
  const Profile& profile() const { return *profile_; }
  std::uint64_t executions() const { return executions_; }
  void set_timeout(double seconds) { timeout_ = seconds; }
  double timeout() const { return timeout_; }

 private:
  const Backend& recording_backend();
  static void thread_entry();
  Carrier* take_carrier(Thread& by, std::size_t stack);

  Scheduler scheduler_;
  RaceDetector races_;
  CarrierPool carriers_;
  const Carriage* carriage_ = nullptr;
  Body body_{};
  const Plan* plan_ = nullptr;
  const Profile* profile_ = nullptr;
  FrameList* host_frames_ = nullptr;  // of the caller of run()
  Backend recording_{};               // the carriage's, but remembers the frames of who stops
  bool running_ = false;
  std::uint64_t executions_ = 0;
  double timeout_ = 10;
  int expected_exit_ = 0;
  bool exiting_ = false;
  std::uint64_t exit_pc_ = 0;
  std::uint64_t printed_[3] = {}, most_printed_ = ~0ull;
  std::uint64_t mask_ = 0;  // of signals, when an execution starts
  char selector_ = 0;
  bool trap_armed_ = false;
  bool after_fork_ = false;
  bool told_ = false;  // plain writes are
  void set_everywhere(std::uint8_t flag, bool on);

  struct Site {
    std::uint64_t pc;
    std::uint8_t flags;
    std::uint32_t next = 0;  // with the same index in `filter`: 1 + number; 0: none
  };
  Site* find_site(std::uint64_t pc);
  MappedVector<Site> sites_;
  std::uint32_t first_site_[kFilter] = {};  // of each index in `filter`, likewise
  static constexpr std::uint8_t kEnough = 64;
  std::uint8_t looks_[kFilter] = {};
  // Accesses are logged at some places only, and at others not even looked at. Null: at all of
  // them, and nowhere.
  const SharedPlaces* logged_ = nullptr;
  const Indices* skipped_ = nullptr;
  void begin_logging();
  Seal seal_ = nullptr;
  FunctionWatcher function_watcher_ = nullptr;
  MappedVector<Site> seals_;
  struct Block {
    void* at;
    std::size_t size;
  };
  MappedVector<Block> quarantine_;
  Freed looked_at_{};
  std::size_t quarantine_first_ = 0, quarantine_bytes_ = 0;
  MappedVector<Uncontrolled> uncontrolled_;
};

// The one of this process; made at first use.
Engine& engine();
// For the hooks: null before the first use. Hidden: found without a look at the global offset
// table.
extern Engine* g_engine __attribute__((visibility("hidden")));

// Frames of the calling thread from the program's point of view.
std::uint64_t image_base();

}  // namespace jostle

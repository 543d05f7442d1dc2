// The script of threads in other processes, which run by themselves: see system.hpp. The script is
// called by execute(), on the stack of its caller; while it waits, pause() lets those threads go on
// that may.
#pragma once

#include <jostle/system.hpp>
#include <set>

#include "events/board.h"
#include "events/kinds.h"
#include "script/conductor.h"

namespace jostle::scripts {

// What made an execution fail.
struct SystemFailure {
  FindingKind kind = FindingKind::none;
  std::string message, function, file;
  unsigned line = 0;
  std::string states;  // of all threads, and what processes have printed
};

class SystemConductor final : public Conductor {
 public:
  // `patience`: seconds that the script waits for one thing.
  SystemConductor(const std::function<void()>& script, scripting::Oracle& oracle, double patience);
  ~SystemConductor() override;

  // Once; the error: why it is not possible here.
  std::string error() const { return board_ ? "" : "there is no memory to share with processes"; }
  void execute();
  // Ends those processes, too, that were to be kept.
  void end_kept();
  const SystemFailure& failure() const { return failure_; }

  // --- for the script -----------------------------------------------------------------------
  unsigned start(const std::vector<std::string>& command, bool kept, const scripting::Place& at);
  unsigned start(const std::function<void()>& function, const scripting::Place& at);
  int pid(unsigned process) const;
  bool running(unsigned process) const;
  std::string output(unsigned process) const;
  int wait_for_end(unsigned process, const scripting::Place& at);
  void signal(unsigned process, int number);
  void wait_until(const std::function<bool()>& holds, const std::string& what,
                  const scripting::Place& at);
  [[noreturn]] void fail(const std::string& message, const scripting::Place& at);

  // --- Conductor ----------------------------------------------------------------------------
  void others(scripting::Others what) override;
  void others(const std::string& strategy, const scripting::Place& at) override;
  bool has_ended(scripting::Tid t) const override;
  bool is_blocked(scripting::Tid t) const override;
  bool inside(ThreadId t, const std::vector<Address>& starts) const override;
  std::uint64_t memory(const scripting::Event& e) const override;

 private:
  struct Started {
    std::string name;  // for people
    std::vector<std::string> command;
    int warden = -1, output = -1;
    bool kept = false, client = false;
    bool told = false;  // its end was: to the script, or because the script has caused it
    bool waited_for = false;
  };
  // When a thread was first seen asleep, and the time that it had run until then.
  struct Sleep {
    double since = 0;
    unsigned long long ran = 0;
  };

  std::uint32_t thread_count() const override { return threads_; }
  bool at_event(ThreadId t) const override;
  scripting::Event event_of(ThreadId t) const override;
  void begin_wait() override;
  Registers registers_of(ThreadId t) const override { return slot(t).registers; }
  report::Parameter parameter_of(ThreadId t, const std::string& name,
                                 unsigned number) const override;
  report::Parameter result_of(ThreadId t, Address function) const override;
  bool read_memory(ThreadId t, Address raw, std::uint64_t bytes, void* out) const override;
  void pause() override;
  std::string name_of(ThreadId t) const override;
  void remember_mistake() override;

  unsigned start(Started s, const std::function<void()>& child, const scripting::Place& at);
  void await_attachment(unsigned process, const scripting::Place& at);
  void advance();
  void look_around();
  void notice_ends();
  void notice_failures();
  void let_threads_go();
  bool holds(ThreadId t) const;
  void go(ThreadId t);
  void sleep(double seconds);
  void set_all_free();
  void wait_for_clients();
  void clean_up();
  void end(unsigned process);
  [[noreturn]] void stop(SystemFailure f);
  [[noreturn]] void give_up(const std::string& why);
  unsigned root(std::uint32_t board_process) const;
  std::vector<State> states() const;
  std::string everything() const;
  Board::Slot& slot(ThreadId t) const { return board_->slots[t]; }

  Board* board_ = nullptr;
  int memory_ = -1;
  double patience_;
  std::vector<Started> started_;  // by number; 0 is nobody
  std::uint32_t threads_ = 0;
  double since_ = 0;   // when the script began to wait
  double looked_ = 0;  // when processes were last looked for
  int seen_news_ = 0;
  scripting::Others others_ = scripting::Others::free;
  SystemFailure failure_;
  std::set<std::string> points_;  // texts of control points
  mutable std::vector<Sleep> asleep_;
};

// The one whose script is being carried out; a mistake if it is not one of a system.
SystemConductor& system_conductor(const scripting::Place& at);

}  // namespace jostle::scripts

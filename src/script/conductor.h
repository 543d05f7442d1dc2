// Carries out a script, one execution at a time, wherever the threads are that it is about: what
// scripts can do (library.cc) in terms of threads that are before an event, or not.
//
// Predicates and oracles are called where the script runs, never on a controlled thread.
#pragma once

#include <jostle/script.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/bits.h"
#include "events/registers.h"
#include "report/variables.h"

namespace jostle::scripts {

class Conductor {
 public:
  Conductor(const std::function<void()>& script, scripting::Oracle& oracle);
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;
  virtual ~Conductor();

  // The script came to its end.
  bool finished() const { return finished_; }
  // Why it did not, for people; "" if an execution just failed before.
  const std::string& stuck() const { return stuck_; }
  // What is wrong with the script itself; "" if nothing.
  const std::string& mistake() const { return mistake_; }

  // --- for the script -----------------------------------------------------------------------
  scripting::Event select(const scripting::Threads& threads, const scripting::Predicate& p,
                          const scripting::Place& at);
  // Also comes back, with nothing, when none of the threads can go on.
  std::optional<scripting::Event> select_or_block(const scripting::Threads& threads,
                                                  const scripting::Predicate& p,
                                                  const scripting::Place& at);
  // Holds them until one of them can go on.
  void wait_unblocked(const scripting::Threads& threads, const scripting::Place& at);
  void release(const scripting::Threads& threads, const scripting::Place& at);
  // A set without threads that do not exist yet.
  scripting::Threads bound_among(const scripting::Threads& threads) const;
  void let_go(const scripting::Threads& threads, const scripting::Place& at);
  std::uint32_t choose(std::uint32_t n);
  scripting::Tid choose_thread(const scripting::Threads& threads, const scripting::Place& at);
  scripting::Event pending(scripting::Tid t, const scripting::Place& at) const;
  bool in_function(scripting::Tid t, const std::vector<Address>& starts) const {
    return !has_ended(t) && inside(t.number(), starts);
  }
  virtual void others(scripting::Others what) = 0;
  virtual void others(const std::string& strategy, const scripting::Place& at) = 0;
  virtual bool has_ended(scripting::Tid t) const = 0;
  // Has to wait for somebody or something else.
  virtual bool is_blocked(scripting::Tid t) const = 0;
  // Is the thread in one of these functions, or in what they have called? `starts` is sorted.
  virtual bool inside(ThreadId t, const std::vector<Address>& starts) const = 0;
  // The memory that an event is about, as it is now; up to 8 bytes.
  virtual std::uint64_t memory(const scripting::Event& e) const = 0;
  // What the function was called with at whose beginning the event is.
  std::int64_t argument(const scripting::Event& e, const std::string& name, unsigned number,
                        const scripting::Place& at) const;
  // What the function is about to return at whose end the event is.
  std::int64_t result(const scripting::Event& e, const scripting::Place& at) const;

 protected:
  // What a suspended script is waiting for: an event of these threads, or also that none of them
  // can go on, or only that one of them can.
  enum class Until : std::uint8_t { event, event_or_blocked, unblocked };
  struct Wanted {
    scripting::Threads threads;
    std::optional<scripting::Predicate> predicate;
    scripting::Place at;
    Until until = Until::event;
  };
  // A thread when the script could not go on.
  struct State {
    ThreadId thread;
    scripting::Event event;
    bool ended, held, enabled;
    bool runs = false;  // is not before an event, as far as is known
  };

  // --- where the threads are ----------------------------------------------------------------
  virtual std::uint32_t thread_count() const = 0;
  // Before an event, and not released.
  virtual bool at_event(ThreadId t) const = 0;
  virtual scripting::Event event_of(ThreadId t) const = 0;
  virtual void begin_wait() {}
  // At the beginning, or the end, of the function that the thread is about to execute, or to leave;
  // if that was asked for.
  virtual Registers registers_of(ThreadId t) const = 0;
  virtual report::Parameter parameter_of(ThreadId t, const std::string& name,
                                         unsigned number) const = 0;
  // Of the function that begins there.
  virtual report::Parameter result_of(ThreadId t, Address function) const = 0;
  virtual bool read_memory(ThreadId t, Address raw, std::uint64_t bytes, void* out) const = 0;
  // Until something has happened that may be what is wanted. Throws Over.
  virtual void pause() = 0;
  // "T1", or more where that does not tell enough.
  virtual std::string name_of(ThreadId t) const { return "T" + std::to_string(t); }

  void reset();
  // The script, on the calling stack; what it throws becomes mistake().
  void perform();
  virtual void remember_mistake() = 0;  // what every thread is up to, for describe()
  bool turned() const;
  bool all_blocked() const;
  // Of the threads that are waited for, none is left.
  bool hopeless() const;
  std::string state_text(const std::vector<State>& states) const;
  std::string describe(const std::string& why, const std::vector<State>& states) const;

  const std::function<void()>& script_;
  scripting::Oracle& oracle_;
  Wanted wanted_;
  bool finished_ = false, over_ = false, waiting_ = false;
  std::string stuck_, mistake_;
  ThreadSet bound_;      // by the script
  ThreadSet released_;   // of these: may perform what they are about to do
  ThreadSet evaluated_;  // their event does not satisfy what is wanted

 private:
  std::optional<scripting::Event> wait(const Wanted& wanted);
};

// A script asks for arguments, or results, of functions.
extern bool g_arguments, g_results;

// The one whose script is being carried out.
Conductor& conductor();

}  // namespace jostle::scripts

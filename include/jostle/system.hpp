// Scripts for whole systems: the script is a program of its own that starts and drives one or more
// processes of the software under test.
//
//     using namespace jostle::scripting;
//     int main() {
//       return jostle::script_system([] {
//         const Process server = start({"./server", "7000"});
//         wait_for_thread(any, at_point("listening"));
//         client([] { ask(7000, "withdraw 60"); });
//         client([] { ask(7000, "withdraw 60"); });
//         const auto [a, b] = wait_for_distinct_threads<2>(in(server) && enters("withdraw"));
//         run_until(a, at_point("checked"));
//         run_until(b, returns("withdraw"));
//         run_until(a, returns("withdraw"));
//       }).ok() ? 0 : 1;
//     }
//
// Threads of the processes run by themselves, all at the same time; those that the script has
// selected stop before each event until it releases them. A thread that begins waits until the
// script waits for something. What a script says is as in script.hpp, with these differences:
//
//   - select() gives up by the clock: after `timeout` seconds.
//   - is_blocked() means: asleep for a while (10 ms), and not because of the script.
//   - others(): free or blocked.
//   - Names of functions and variables are those of the programs that were started before;
//     addresses of this process mean nothing there.
//   - test_starts and test_ends are those of clients.
//
// Programs are built with `jostle cc`, or linked with libjostle_program.so, or that is loaded into
// them: then only JOSTLE_POINTs, threads and synchronisation are events.
#pragma once

#include <jostle/script.hpp>

namespace jostle::scripting {

// A program that the script has started, with all processes that it starts itself.
class Process {
 public:
  Process() = default;
  explicit Process(unsigned number) : number_(number) {}
  unsigned number() const { return number_; }  // 1, 2, ..., as in Event::process
  int pid() const;
  bool running() const;
  // What it has printed until now, both streams.
  std::string output() const;
  // Waits for its end, and gives its exit code, or minus the number of the signal that it died of.
  int wait(Place at = Place::current()) const;
  void signal(int number) const;

 private:
  unsigned number_ = 0;
};

// Starts a program; a name without a slash is looked for in PATH. It is ended, with all its
// processes, when the execution is over, whatever happens.
Process start(std::vector<std::string> command, Place at = Place::current());
// The same, but it goes on from one execution to the next; it is started again when it has ended.
Process keep(std::vector<std::string> command, Place at = Place::current());
// A copy of this process that calls the function and ends. What it changes stays there: print
// something, or fail by an exception or JOSTLE_ASSERT. The execution is over when all clients have
// ended and the script has.
Process client(std::function<void()> function, Place at = Place::current());

// The event happens in that program.
Predicate in(const Process& p);

// Asks again and again while threads go on, until it holds.
void wait_until(const std::function<bool()>& holds, Place at = Place::current());

// The script's own check: if it fails, that is a finding.
void check(bool condition, const std::string& message, Place at = Place::current());

}  // namespace jostle::scripting

namespace jostle {

// Executes the script again and again, until all its choices were made or an execution fails: a
// process crashes, ends with another exit code than 0 that the script does not wait for, fails an
// assertion, or the script's check() does.
Result script_system(const std::function<void()>& script, const Options& options = {});
Result script_system(const std::function<void()>& script, scripting::Oracle& oracle,
                     const Options& options = {});

}  // namespace jostle

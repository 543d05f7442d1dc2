// Say how it happens: a script constrains the schedule, Jostle explores every schedule within it.
//
//     using namespace jostle::scripting;
//     jostle::Result r = jostle::script(body, [] {
//       auto [a, b] = wait_for_distinct_threads<2>(enters("withdraw"));
//       run_until(a, writes(&account.balance));
//       run_until(b, returns("withdraw"));
//       run_until(a, ends);
//     });
//
// The script is ordinary C++, executed from its beginning in each execution of the body, beside its
// threads: while the script runs, they stand still. Every thread stops before each event (a memory
// access, a call, a lock, ...). A thread that the script has selected stays there until the script
// releases it; the others follow others(). Where the script chooses, all choices are explored.
// When the script returns, all threads are free.
//
// Functions here may only be called by a script, those of the first part (threads, predicates)
// anywhere. The script must not wait for the threads by other means than these functions.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <jostle/jostle.hpp>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace jostle::scripting {

using Place = std::source_location;  // of a line in a script

// --- threads -------------------------------------------------------------------------------------

// A thread of the body. T0 runs the body itself.
class Tid {
 public:
  Tid() = default;
  explicit Tid(std::uint16_t number) : number_(number) {}
  std::uint16_t number() const { return number_; }
  friend bool operator==(Tid, Tid) = default;

 private:
  std::uint16_t number_ = 0xffff;  // no thread
};

// A set of threads: any, a + b, any - a.
class Threads {
 public:
  Threads() = default;
  Threads(Tid t) { (*this) += t; }  // NOLINT: a thread is a set of one
  explicit Threads(std::span<const Tid> ts) {
    for (const Tid t : ts) (*this) += t;
  }
  static Threads all() {
    Threads s;
    s.complement_ = true;
    return s;
  }
  bool has(Tid t) const { return member(t) != complement_; }
  bool open() const { return complement_; }  // threads that do not exist yet belong to it
  // A number greater than that of each thread that was added or taken away.
  std::uint16_t end() const {
    for (unsigned i = kMost / 64; i-- > 0;)
      if (words_[i])
        return static_cast<std::uint16_t>(i * 64 + 64 - unsigned(std::countl_zero(words_[i])));
    return 0;
  }
  Threads& operator+=(Tid t) { return put(t, !complement_); }
  Threads& operator-=(Tid t) { return put(t, complement_); }
  friend Threads operator+(Threads s, Tid t) { return s += t; }
  friend Threads operator-(Threads s, Tid t) { return s -= t; }
  std::string text() const;  // "T1 or T2", "any thread but T1"

 private:
  bool member(Tid t) const {
    return t.number() < kMost && (words_[t.number() / 64] >> (t.number() % 64) & 1);
  }
  Threads& put(Tid t, bool in) {
    if (t.number() >= kMost) return *this;
    std::uint64_t& w = words_[t.number() / 64];
    const std::uint64_t bit = 1ull << (t.number() % 64);
    w = in ? w | bit : w & ~bit;
    return *this;
  }
  static constexpr unsigned kMost = 1024;
  bool complement_ = false;
  std::array<std::uint64_t, kMost / 64> words_{};
};
inline Threads operator+(Tid a, Tid b) { return Threads(a) + b; }
inline const Threads any = Threads::all();

// --- events and predicates -----------------------------------------------------------------------

// What a thread is about to do. Valid until the thread is released.
class Event {
 public:
  Tid thread;
  std::uint64_t address = 0;  // of the memory, the object or the function
  std::uint32_t size = 0;     // of the memory
  std::uint64_t pc = 0;
  unsigned process = 0;  // see system.hpp; 0: this one

  // At the beginning of a function: what it was called with, if that is a number without a fraction
  // or a pointer, in code built with -g. What the optimiser keeps nowhere is an error. 0 is the
  // first, in a member function `this`. argument() below must have said before that arguments are
  // of interest.
  std::int64_t argument(int number, Place at = Place::current()) const;
  std::int64_t argument(const char* name, Place at = Place::current()) const;
  // At the end of a function: what it is about to return, likewise; returned() below must have said
  // before that such values are of interest.
  std::int64_t returned(Place at = Place::current()) const;
  std::uint64_t value() const;   // what is in that memory now, up to 8 bytes of it
  std::string function() const;  // in which it happens
  std::string file() const;
  unsigned line() const;
  std::string text() const;  // for people: "write counter at bank.cc:12 in deposit"

  Event() = default;
  Event(Tid t, std::uint8_t kind, std::uint64_t a, std::uint32_t bytes, std::uint64_t at,
        unsigned in = 0)
      : thread(t), address(a), size(bytes), pc(at), process(in), kind_(kind) {}
  std::uint8_t kind() const { return kind_; }  // src/events/event_kinds.def

 private:
  std::uint8_t kind_ = 0;
};

// A set of events, combined by &&, ||, !. Any bool(const Event&) is one. It is asked once about
// each event, when the thread has come there.
class Predicate {
 public:
  // Which kinds of events it may hold for; by their number.
  using Kinds = std::uint64_t;
  static constexpr Kinds kAll = ~Kinds{0};

  template <std::predicate<const Event&> F>
    requires(!std::derived_from<std::remove_cvref_t<F>, Predicate>)
  Predicate(F f, Place at = Place::current())  // NOLINT: any function is a predicate
      : Predicate(kAll, [at] { return text_of(at); }, std::move(f)) {}
  // The text, for people, is made only when it is needed.
  Predicate(Kinds kinds, std::function<std::string()> text, std::function<bool(const Event&)> f);

  bool operator()(const Event& e) const { return (kinds() >> e.kind() & 1) && node_->holds(e); }
  Kinds kinds() const { return node_->kinds; }
  std::string text() const { return node_->text(); }

  friend Predicate operator&&(const Predicate& a, const Predicate& b);
  friend Predicate operator||(const Predicate& a, const Predicate& b);
  friend Predicate operator!(const Predicate& a);

 private:
  static std::string text_of(const Place& at);
  struct Node {
    Kinds kinds;
    std::function<std::string()> text;
    std::function<bool(const Event&)> holds;
  };
  std::shared_ptr<const Node> node_;
};

// The bytes of several variables, or of a part of one.
struct Range {
  std::uint64_t address;
  std::uint64_t bytes;
};
inline Range range(const volatile void* first, std::size_t bytes) {
  return {reinterpret_cast<std::uint64_t>(first), bytes};
}

// reads, reads(&variable), reads(range(p, 64)), reads("name of a global variable"). An atomic
// update reads and writes.
class AccessPredicate : public Predicate {
 public:
  using Predicate::operator();
  using Predicate::Predicate;
  template <class T>
    requires(std::is_object_v<T> && !std::same_as<std::remove_cv_t<T>, char>)
  Predicate operator()(T* variable) const {
    return (*this)(range(variable, sizeof(T)));
  }
  Predicate operator()(Range bytes) const;
  Predicate operator()(const char* variable, Place at = Place::current()) const;
};
extern const AccessPredicate reads, writes;

// A function by its name (as far as needed: "f", "Class::f", "ns::Class::f(int)", or a regular
// expression "/.../"), or by a pointer to it. Only code built with Jostle's hooks has these events.
class Function {
 public:
  Function(const char* name) : name_(name) {}  // NOLINT: a name is a function
  Function(std::string name) : name_(std::move(name)) {}
  template <class R, class... A>
  Function(R (*f)(A...)) : address_(reinterpret_cast<std::uint64_t>(f)) {}
  const std::string& name() const { return name_; }
  std::uint64_t address() const { return address_; }

 private:
  std::string name_;
  std::uint64_t address_ = 0;
};

// calls is the same as enters: a call is told when the function begins, before its first statement.
class FunctionPredicate : public Predicate {
 public:
  using Predicate::operator();
  using Predicate::Predicate;
  Predicate operator()(const Function& f, Place at = Place::current()) const;
};
extern const FunctionPredicate calls, enters, returns;

// A number that an event has: enters("f") && argument(0) == 3, returns("find") && returned() ==
// nullptr.
class Number {
 public:
  Number(Predicate::Kinds kinds, std::string text, std::function<std::int64_t(const Event&)> of)
      : kinds_(kinds), text_(std::move(text)), of_(std::move(of)) {}
  template <class T>
  Predicate operator==(T v) const {
    return compare("==", value_of(v), [](auto a, auto b) { return a == b; });
  }
  template <class T>
  Predicate operator!=(T v) const {
    return compare("!=", value_of(v), [](auto a, auto b) { return a != b; });
  }
  template <class T>
  Predicate operator<(T v) const {
    return compare("<", value_of(v), [](auto a, auto b) { return a < b; });
  }
  template <class T>
  Predicate operator>(T v) const {
    return compare(">", value_of(v), [](auto a, auto b) { return a > b; });
  }

 private:
  template <class T>
  static std::int64_t value_of(T v) {
    if constexpr (std::is_null_pointer_v<T>)
      return 0;
    else if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<std::int64_t>(v);
    else
      return static_cast<std::int64_t>(v);
  }
  Predicate compare(const char* how, std::int64_t value,
                    bool (*holds)(std::int64_t, std::int64_t)) const;
  Predicate::Kinds kinds_;
  std::string text_;
  std::function<std::int64_t(const Event&)> of_;
};
Number argument(int number, Place at = Place::current());
Number argument(const char* name, Place at = Place::current());
Number returned(Place at = Place::current());

// in_function(f): the event happens inside of f, or of what f has called.
// in_function(t, f): that holds for what the selected thread t is about to do.
struct InFunction {
  Predicate operator()(const Function& f, Place at = Place::current()) const;
  bool operator()(Tid t, const Function& f, Place at = Place::current()) const;
};
inline constexpr InFunction in_function;

// locks, locks(&mutex): mutexes, read-write locks and spin locks, tried or waited for. waits:
// condition variables, semaphores, barriers, futexes. signals: whatever wakes those.
class ObjectPredicate : public Predicate {
 public:
  using Predicate::operator();
  using Predicate::Predicate;
  Predicate operator()(const volatile void* object) const;
  // One that is, or is in, a global variable.
  Predicate operator()(const char* variable, Place at = Place::current()) const;
};
extern const ObjectPredicate locks, unlocks, waits, signals;

// at_point, at_point(42), at_point("name"): JOSTLE_POINT.
class PointPredicate : public Predicate {
 public:
  using Predicate::operator();
  using Predicate::Predicate;
  Predicate operator()(int number) const;
  Predicate operator()(const char* name) const;
};
extern const PointPredicate at_point;

extern const Predicate starts, ends;            // a thread; starts: one that the body creates
extern const Predicate test_starts, test_ends;  // T0
extern const Predicate creates, joins;          // another thread
extern const Predicate every_event;
// What happens at a line of the source; the file without its folder.
Predicate at_line(std::string file, unsigned line);
// The nth event for which p holds, counted from where the predicate is first waited for.
Predicate times(unsigned n, const Predicate& p);

// --- the core: select, release, choose -----------------------------------------------------------

// Waits until one of the threads is before an event that satisfies the predicate, and binds it: it
// stays there until released. Threads of the set that are before other events go on. An execution
// in which nobody can bring such an event about ends.
Event select(const Threads& threads, const Predicate& p = every_event, Place at = Place::current());

// The threads, which must be held, go on: each to its next event.
void release(const Threads& threads, Place at = Place::current());

// These threads are not the script's business any more.
void let_go(const Threads& threads, Place at = Place::current());

// One of 0, ..., n-1: the oracle chooses.
std::uint32_t choose_below(std::uint32_t n, Place at = Place::current());
template <class T, class... Ts>
T choose(T first, Ts... others) {
  const T values[] = {first, static_cast<T>(others)...};
  return values[choose_below(1 + sizeof...(Ts))];
}

// What threads do that the script has not bound, while it waits for some of the others: stand
// still; go on as they would by themselves (the default schedule: each until it has to wait); go on
// in all possible ways, the oracle chooses. Or as a strategy says: a name from `jostle list
// strategies`.
enum class Others : std::uint8_t { blocked, free, searched };
void others(Others what);
void others(const std::string& strategy, Place at = Place::current());

// --- library -------------------------------------------------------------------------------------

Tid wait_for_thread(const Threads& threads, const Predicate& p, Place at = Place::current());
std::vector<Tid> wait_for_distinct_threads(unsigned n, const Predicate& p,
                                           Place at = Place::current());
template <unsigned n>
std::array<Tid, n> wait_for_distinct_threads(const Predicate& p, Place at = Place::current()) {
  const std::vector<Tid> all = wait_for_distinct_threads(n, p, at);
  std::array<Tid, n> out;
  for (unsigned i = 0; i < n; ++i) out[i] = all[i];
  return out;
}

// Releases the threads, and holds each where the predicate is satisfied.
void run_until(const Threads& threads, const Predicate& p, Place at = Place::current());

// The same for one thread, but comes back when it has to wait for somebody else, too: false.
bool run_until_or_blocked(Tid t, const Predicate& p, Place at = Place::current());
// Has to wait: for a lock, a signal, the end of a thread, ...
bool is_blocked(Tid t);

// One of the threads that have not ended: the oracle chooses.
Tid choose_thread(const Threads& threads, Place at = Place::current());

// A thread at its end has ended: the script sees the event, and does not hold the thread there.
bool has_ended(Tid t);
// What t is about to do.
Event pending(Tid t, Place at = Place::current());

// The general search: waits for some threads to start, lets them follow a prologue, and explores
// how they interleave from there.
struct Search {
  unsigned threads = 2;
  Predicate start;        // where they are waited for
  Predicate schedule_at;  // where the next one is chosen
  // A thread is chosen as long as this holds for it and it has not ended; nothing: until it ends.
  std::function<bool(Tid)> as_long_as = nullptr;
  std::function<void(std::span<const Tid>)> prologue = nullptr;
  unsigned context_bound = 0;  // most contexts before each thread runs to its end; 0: no bound
};
void search(const Search& s, Place at = Place::current());

// Its instances.
using Functions = std::initializer_list<Function>;
// Every access, call and synchronisation.
void search_all(unsigned threads, Place at = Place::current());
// The same, while threads are in these functions.
void search_in_functions(unsigned threads, Functions f, Place at = Place::current());
// The same, but threads change at JOSTLE_POINTs only.
void search_in_functions_at_points(unsigned threads, Functions f, Place at = Place::current());
// The same at every access, but with few changes.
void search_in_functions_bounded(unsigned threads, Functions f, unsigned contexts,
                                 Place at = Place::current());
// Threads change where one of these functions returns.
void search_sequences(unsigned threads, const Predicate& start, Functions f,
                      Place at = Place::current());
// First a prologue, then as search_in_functions; the predicate says where threads are waited for.
void search_in_buggy(unsigned threads, const Predicate& start, Functions f,
                     std::function<void(std::span<const Tid>)> prologue,
                     Place at = Place::current());
// Nothing but a prologue: one schedule.
void exact_schedule(unsigned threads, const Predicate& start,
                    std::function<void(std::span<const Tid>)> schedule,
                    Place at = Place::current());

// --- oracles -------------------------------------------------------------------------------------

// Resolves the choices of a script. All executions are made with one oracle.
class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual std::uint32_t choose(std::uint32_t n) = 0;  // one of 0, ..., n-1
  // The next choice is between the threads of these events: what each is about to do.
  virtual void offer(std::span<const Event> /*threads*/) {}
  // An execution has ended. False: there is no other to make.
  virtual bool restart() = 0;
  // How often what was chosen before could not be chosen again, because the execution differed.
  virtual std::uint64_t strayed() const { return 0; }
  // Will it have made all choices when restart() says false?
  virtual bool exhaustive() const { return false; }
};
std::unique_ptr<Oracle> depth_first();
// Schedules that differ from the first in few choices come early.
std::unique_ptr<Oracle> breadth_first();
// The cheapest first, as check() does: costs are compared one after the other, and each branch gets
// its own where the choice comes up. Among equal ones, the last that was found.
struct Branch {
  unsigned depth = 0;  // choices before this one
  std::uint32_t chosen = 0;
  unsigned preemptions = 0;      // threads interrupted on the way there that could have gone on
  const Event* event = nullptr;  // what the chosen thread is about to do; null: it is no thread
  // What the thread that went on until now is about to do, if it is another one and could go on.
  const Event* interrupted = nullptr;
};
using Cost = std::function<unsigned(const Branch&)>;
std::unique_ptr<Oracle> best_first(std::vector<Cost> costs);
// The priorities of check() that need no reduction of schedules. pb: few preemptions first.
unsigned fewer_preemptions(const Branch& b);
// method, var and recent: where both threads, the interrupted one and the next, are before such an
// event; then where one of them is.
Cost between(const Predicate& p);
// rand.
Cost in_random_order(std::uint64_t seed);
// Threads before such an event first.
Cost before(const Predicate& p);
std::unique_ptr<Oracle> random(std::uint64_t seed, std::uint64_t executions);
// One execution with these choices; 0 after the last.
std::unique_ptr<Oracle> replay(std::vector<std::uint32_t> choices);

}  // namespace jostle::scripting

namespace jostle {

// Executes the body under all schedules that the script allows, until one fails. Threads are
// interrupted at all accesses unless the options name another level than the default. The result's
// `complete` says that there are no others; `unsatisfied` how many executions ended because the
// script waited for something that could not happen. If that was so in all of them, or the script
// itself made a mistake, `error` says where.
Result script(const std::function<void()>& body, const std::function<void()>& script,
              const Options& options = {});
Result script(const std::function<void()>& body, const std::function<void()>& script,
              scripting::Oracle& oracle, const Options& options = {});

}  // namespace jostle

// The built-in predicates.
#include <initializer_list>

#include "events/board.h"
#include "events/kinds.h"
#include "report/frames.h"
#include "script/conductor.h"
#include "script/mistake.h"
#include "script/names.h"

namespace jostle::scripts {

Mistake::Mistake(const scripting::Place& at, const std::string& what)
    : std::runtime_error(text_of(at) + ": " + what) {}

}  // namespace jostle::scripts

namespace jostle::scripting {
namespace {

using K = EventKind;

constexpr Predicate::Kinds kinds(std::initializer_list<K> list) {
  Predicate::Kinds out = 0;
  for (const K k : list) {
    static_assert(static_cast<unsigned>(K::control) < 64, "kinds fit a word");
    out |= Predicate::Kinds{1} << static_cast<unsigned>(k);
  }
  return out;
}

constexpr auto kReads = kinds({K::read, K::atomic_load, K::atomic_rmw, K::atomic_cas});
constexpr auto kWrites = kinds({K::write, K::atomic_store, K::atomic_rmw, K::atomic_cas});
constexpr auto kLocks =
    kinds({K::mutex_lock, K::mutex_trylock, K::cond_reacquire, K::rwlock_rdlock, K::rwlock_wrlock,
           K::rwlock_tryrdlock, K::rwlock_trywrlock, K::spin_lock, K::spin_trylock});
constexpr auto kUnlocks = kinds({K::mutex_unlock, K::rwlock_unlock, K::spin_unlock});
constexpr auto kWaits =
    kinds({K::cond_wait, K::sem_wait, K::sem_trywait, K::barrier_arrive, K::futex_wait});
constexpr auto kSignals =
    kinds({K::cond_signal, K::cond_broadcast, K::sem_post, K::futex_wake, K::barrier_leave});

bool yes(const Event&) { return true; }
// A system is tested by its clients.
bool of_test(const Event& e) { return e.process ? e.size == Board::kClient : e.thread == Tid(0); }

std::string quoted(const Function& f) {
  if (!f.name().empty()) return "'" + f.name() + "'";
  const auto* o = scripts::symbol_table(f.address()).function_at(f.address());
  return o ? "'" + report::short_function(o->name) + "'" : "that function";
}

}  // namespace

std::string Threads::text() const {
  std::string list;
  for (std::uint16_t i = 0; i < kMost; ++i)
    if (member(Tid(i))) list += (list.empty() ? "T" : ", T") + std::to_string(i);
  if (!complement_) return list.empty() ? "no thread" : list;
  return list.empty() ? "any thread" : "any thread but " + list;
}

Predicate::Predicate(Kinds kinds, std::function<std::string()> text,
                     std::function<bool(const Event&)> f)
    : node_(std::make_shared<const Node>(Node{kinds, std::move(text), std::move(f)})) {}

std::string Predicate::text_of(const Place& at) {
  return "what the function at " + scripts::text_of(at) + " accepts";
}

Predicate operator&&(const Predicate& a, const Predicate& b) {
  return {a.kinds() & b.kinds(), [a, b] { return "(" + a.text() + " and " + b.text() + ")"; },
          [a, b](const Event& e) { return a(e) && b(e); }};
}
Predicate operator||(const Predicate& a, const Predicate& b) {
  return {a.kinds() | b.kinds(), [a, b] { return a.text() + " or " + b.text(); },
          [a, b](const Event& e) { return a(e) || b(e); }};
}
Predicate operator!(const Predicate& a) {
  return {Predicate::kAll, [a] { return "not (" + a.text() + ")"; },
          [a](const Event& e) { return !a(e); }};
}

namespace {
auto said(const char* text) {
  return [text] { return std::string(text); };
}
}  // namespace

const AccessPredicate reads(kReads, said("a read"), &yes), writes(kWrites, said("a write"), &yes);
const FunctionPredicate calls(kinds({K::function_enter}), said("a call"), &yes),
    enters(kinds({K::function_enter}), said("the beginning of a function"), &yes),
    returns(kinds({K::function_return}), said("the return of a function"), &yes);
const ObjectPredicate locks(kLocks, said("a lock"), &yes),
    unlocks(kUnlocks, said("an unlock"), &yes), waits(kWaits, said("a wait"), &yes),
    signals(kSignals, said("a signal"), &yes);
const PointPredicate at_point(kinds({K::control}), said("a control point"), &yes);
const Predicate starts(kinds({K::thread_start}), said("the start of a thread"),
                       [](const Event& e) {
                         return e.process ? e.size == Board::kCreated : e.thread != Tid(0);
                       }),
    ends(kinds({K::thread_exit}), said("the end of a thread"), &yes),
    test_starts(kinds({K::thread_start}), said("the start of the test"), &of_test),
    test_ends(kinds({K::thread_exit}), said("the end of the test"), &of_test),
    creates(kinds({K::thread_create}), said("the creation of a thread"), &yes),
    joins(kinds({K::thread_join, K::thread_tryjoin}), said("a join"), &yes),
    every_event(Predicate::kAll, said("any event"), &yes);

Predicate AccessPredicate::operator()(Range r) const {
  return {kinds(),
          [r, any_access = *this] {
            const std::string name = scripts::object_of(
                static_cast<std::uint8_t>(K::read), r.address, static_cast<std::uint32_t>(r.bytes));
            return any_access.text() + " of " + (name.empty() ? "that memory" : name);
          },
          [r](const Event& e) {
            return e.address < r.address + r.bytes && r.address < e.address + e.size;
          }};
}
Predicate AccessPredicate::operator()(const char* variable, Place at) const {
  return (*this)(scripts::find_variable(variable, at));
}

Predicate FunctionPredicate::operator()(const Function& f, Place at) const {
  const scripts::Starts where = scripts::find_function(f, at);
  return {kinds(), [f, any_function = *this] { return any_function.text() + " " + quoted(f); },
          [where](const Event& e) { return where->has(e.address); }};
}

Number argument(int number, Place at) {
  scripts::g_arguments = true;
  return {enters.kinds(), "an argument " + std::to_string(number),
          [=](const Event& e) { return e.argument(number, at); }};
}
Number argument(const char* name, Place at) {
  scripts::g_arguments = true;
  return {enters.kinds(), std::string("an argument ") + name,
          [name = std::string(name), at](const Event& e) { return e.argument(name.c_str(), at); }};
}
Number returned(Place at) {
  scripts::g_results = true;
  return {returns.kinds(), "a returned value", [=](const Event& e) { return e.returned(at); }};
}

Predicate Number::compare(const char* how, std::int64_t value,
                          bool (*holds)(std::int64_t, std::int64_t)) const {
  return {kinds_, [=, text = text_] { return text + " " + how + " " + std::to_string(value); },
          [=, of = of_](const Event& e) { return holds(of(e), value); }};
}

std::int64_t Event::argument(int number, Place at) const {
  return scripts::conductor().argument(*this, "", static_cast<unsigned>(number), at);
}
std::int64_t Event::argument(const char* name, Place at) const {
  return scripts::conductor().argument(*this, name, 0, at);
}
std::int64_t Event::returned(Place at) const { return scripts::conductor().result(*this, at); }

Predicate InFunction::operator()(const Function& f, Place at) const {
  const scripts::Starts where = scripts::find_function(f, at);
  return {Predicate::kAll, [f] { return "anything in " + quoted(f); },
          [where](const Event& e) {
            return scripts::conductor().inside(e.thread.number(), where->starts());
          }};
}
bool InFunction::operator()(Tid t, const Function& f, Place at) const {
  const scripts::Starts where = scripts::find_function(f, at);
  return scripts::conductor().in_function(t, where->starts());
}

Predicate ObjectPredicate::operator()(const volatile void* object) const {
  const auto a = reinterpret_cast<std::uint64_t>(object);
  return {kinds(),
          [a, any_object = *this] {
            const std::string name =
                scripts::object_of(static_cast<std::uint8_t>(K::mutex_lock), a, 1);
            return any_object.text() + " of " + (name.empty() ? "that object" : name);
          },
          [a](const Event& e) { return e.address == a; }};
}

Predicate ObjectPredicate::operator()(const char* variable, Place at) const {
  const Range r = scripts::find_variable(variable, at);
  return {kinds(),
          [variable = std::string(variable), any_object = *this] {
            return any_object.text() + " of `" + variable + "`";
          },
          [r](const Event& e) { return e.address - r.address < r.bytes; }};
}

namespace {
Predicate point(const PointPredicate& any_point, const std::string& text) {
  return {any_point.kinds(), [text] { return "control point " + text; },
          [text](const Event& e) { return text == reinterpret_cast<const char*>(e.address); }};
}
}  // namespace
Predicate PointPredicate::operator()(int number) const {
  return point(*this, std::to_string(number));
}
Predicate PointPredicate::operator()(const char* name) const {
  return point(*this, "\"" + std::string(name) + "\"");
}

Predicate at_line(std::string file, unsigned line) {
  const auto text = [file, line] { return "what is at " + file + ":" + std::to_string(line); };
  return {Predicate::kAll, text, [file, line](const Event& e) {
            return e.line() == line && report::base_name(e.file()) == file;
          }};
}

Predicate times(unsigned n, const Predicate& p) {
  const auto text = [n, p] { return "time " + std::to_string(n) + " of " + p.text(); };
  return {p.kinds(), text, [p, left = std::make_shared<unsigned>(n)](const Event& e) {
            return *left > 0 && p(e) && --*left == 0;
          }};
}

std::uint64_t Event::value() const {
  if (!((kReads | kWrites) >> kind_ & 1) || size == 0 || size > 8) return 0;
  return scripts::conductor().memory(*this);
}

std::string Event::function() const {
  return report::short_function(scripts::frame_of(pc).function);
}
std::string Event::file() const { return scripts::frame_of(pc).file; }
unsigned Event::line() const { return scripts::frame_of(pc).line; }

std::string Event::text() const {
  std::string s(text_of(static_cast<EventKind>(kind_)));
  if (const std::string o = scripts::object_of(kind_, address, size); !o.empty()) s += " " + o;
  if (const std::string p = scripts::place_of(pc); !p.empty()) s += " at " + p;
  return s;
}

}  // namespace jostle::scripting

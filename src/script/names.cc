#include "script/names.h"

#include <algorithm>
#include <map>
#include <regex>

#include "events/kinds.h"
#include "options/nearest.h"
#include "report/frames.h"
#include "script/mistake.h"
#include "script/modules.h"

namespace jostle::scripts {
namespace {

using report::NamedObject;

// A handful of the names that come closest.
std::string closest(std::string_view wanted, const std::vector<NamedObject>& all) {
  const std::string_view last = wanted.substr(wanted.rfind(':') + 1);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const NamedObject& o : all) {
    const std::string name = report::short_function(o.name);
    if (name.starts_with("std::") || name.starts_with("__") || name.starts_with("jostle::"))
      continue;
    const std::string_view tail = std::string_view(name).substr(name.rfind(':') + 1);
    const std::size_t d = edit_distance(last, tail);
    if (d <= std::max<std::size_t>(2, last.size() / 3)) near.emplace_back(d, name);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::string text;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i)
    text += (i ? ", '" : "; the nearest: '") + near[i].second + "'";
  return text;
}

}  // namespace

namespace {
std::string programs_text() {
  return modules().used() ? "the programs that the script has started" : "this program";
}
}  // namespace

report::Symbols& symbols() {
  static auto& s = *new report::Symbols;
  return s;
}

const report::SymbolTable& symbol_table(Address a) {
  if (const Module* m = modules().at(a)) return m->symbols();
  static const auto& t = *new report::SymbolTable;
  return t;
}

std::string text_of(const scripting::Place& at) {
  return std::string(report::base_name(at.file_name())) + ":" + std::to_string(at.line());
}

namespace {

// Scripts are about the program: what Jostle has of the same name is not meant.
bool is_meant(const NamedObject& o, std::string_view name) {
  return report::is_named(o.name, name) &&
         (name.starts_with("jostle::") || !report::short_function(o.name).starts_with("jostle::"));
}

std::string without_anonymous(std::string name) {
  static constexpr std::string_view kScope = "(anonymous namespace)::";
  for (std::size_t i; (i = name.find(kScope)) != std::string::npos;) name.erase(i, kScope.size());
  return name;
}

// Tables of all files that a script may mean.
std::vector<const report::SymbolTable*> tables() {
  std::vector<const report::SymbolTable*> all;
  if (!modules().used()) return {&symbol_table()};
  modules().each([&](const Module& m) { all.push_back(&m.symbols()); });
  return all;
}

std::string nearest(const std::string& name,
                    const std::vector<NamedObject>& (report::SymbolTable::*list)() const) {
  std::vector<NamedObject> all;
  for (const report::SymbolTable* t : tables())
    all.insert(all.end(), (t->*list)().begin(), (t->*list)().end());
  return closest(name, all);
}

}  // namespace

const std::vector<Address>& FunctionSet::starts() const {
  const std::size_t now = modules().used() ? modules().count() + 1 : 0;
  if (made_for_ == now) return starts_;
  made_for_ = now;
  starts_.clear();
  if (function_.address()) {
    starts_ = {function_.address()};
    return starts_;
  }
  for (const report::SymbolTable* t : tables())
    for (const NamedObject& o : t->functions())
      if (is_meant(o, function_.name())) starts_.push_back(o.start);
  std::sort(starts_.begin(), starts_.end());
  return starts_;
}

bool FunctionSet::has(Address a) const {
  return std::binary_search(starts().begin(), starts().end(), a);
}

Starts find_function(const scripting::Function& f, const scripting::Place& at) {
  if (f.address()) return std::make_shared<const FunctionSet>(f);
  static auto& known = *new std::map<std::string, Starts>;
  Starts& found = known[f.name()];
  if (!found) found = std::make_shared<const FunctionSet>(f);
  try {
    if (!found->starts().empty()) return found;
  } catch (const std::regex_error& e) {
    throw Mistake(at, "'" + f.name() + "' is no regular expression: " + e.what());
  }
  for (const report::SymbolTable* t : tables())
    if (t->only_inlined(f.name()))
      throw Mistake(at, "the function '" + f.name() +
                            "' was inlined everywhere: nobody enters it. Declare it "
                            "[[gnu::noinline]], or build with -fno-inline");
  throw Mistake(at, "there is no function '" + f.name() + "' in " + programs_text() +
                        nearest(f.name(), &report::SymbolTable::functions));
}

scripting::Range find_variable(const char* name, const scripting::Place& at) {
  std::map<Address, const NamedObject*> found, exactly;
  for (const report::SymbolTable* t : tables())
    for (const NamedObject& o : t->variables()) {
      if (!is_meant(o, name)) continue;
      found[o.start] = &o;
      if (without_anonymous(o.name) == name) exactly[o.start] = &o;
    }
  if (found.empty())
    throw Mistake(at, "there is no global variable '" + std::string(name) + "' in " +
                          programs_text() + nearest(name, &report::SymbolTable::variables));
  // A complete name means one variable, even if it is the end of others' names.
  if (!exactly.empty()) found = exactly;
  const NamedObject& first = *found.begin()->second;
  if (found.size() > 1)
    throw Mistake(at, "there is more than one variable '" + std::string(name) + "': '" +
                          first.name + "', '" + std::next(found.begin())->second->name + "'");
  return {first.start, first.size};
}

report::Frame frame_of(std::uint64_t pc) {
  if (const Module* m = modules().at(pc)) return m->frame(pc);
  const auto& frames = symbols().frames(pc);
  for (const report::Frame& f : frames)
    if (report::is_user_frame(f)) return f;
  return frames.empty() ? report::Frame() : frames.back();
}

std::string place_of(std::uint64_t pc) {
  if (pc == 0) return "";
  const report::Frame f = frame_of(pc);
  const std::string function = report::short_function(f.function);
  return f.line == 0 ? function : report::place_text(f) + " in " + function;
}

std::string object_of(std::uint8_t kind, Address a, std::uint32_t size) {
  if (a == 0) return "";
  switch (static_cast<EventKind>(kind)) {
    case EventKind::function_enter:
    case EventKind::function_return:
      if (const NamedObject* f = symbol_table(a).function_at(a))
        return report::short_function(f->name);
      return "";
    case EventKind::control:
      return reinterpret_cast<const char*>(a);
    default:
      break;
  }
  if (const Module* m = modules().at(a)) {
    const NamedObject* v = m->symbols().variable_at(a);
    if (!v) return "";
    return "`" + v->name + (a > v->start ? "+" + std::to_string(a - v->start) : "") + "`";
  }
  if (a >> 48) return "";  // memory of another process that has no name
  std::uint64_t offset = 0;
  const std::string name = symbols().data_symbol(a, offset);
  if (name.empty()) return "";
  return "`" + name + symbols().data_member(a, size ? size : 1) + "`";
}

}  // namespace jostle::scripts

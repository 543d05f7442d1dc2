#include "script/names.h"

#include <algorithm>
#include <map>

#include "events/kinds.h"
#include "options/nearest.h"
#include "report/frames.h"
#include "script/mistake.h"

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

report::Symbols& symbols() {
  static auto& s = *new report::Symbols;
  return s;
}

const report::SymbolTable& symbol_table() {
  static const auto& t = *new report::SymbolTable;
  return t;
}

std::string text_of(const scripting::Place& at) {
  return std::string(report::base_name(at.file_name())) + ":" + std::to_string(at.line());
}

Starts find_function(const scripting::Function& f, const scripting::Place& at) {
  if (f.address()) return std::make_shared<const std::vector<Address>>(1, f.address());
  static auto& known = *new std::map<std::string, Starts>;
  if (const auto i = known.find(f.name()); i != known.end()) return i->second;
  std::vector<Address> found;
  for (const NamedObject& o : symbol_table().functions())
    if (report::is_named(o.name, f.name())) found.push_back(o.start);
  if (found.empty() && symbol_table().only_inlined(f.name()))
    throw Mistake(at, "the function '" + f.name() +
                          "' was inlined everywhere: nobody enters it. Declare it "
                          "[[gnu::noinline]], or build with -fno-inline");
  if (found.empty())
    throw Mistake(at, "there is no function '" + f.name() + "' in this program" +
                          closest(f.name(), symbol_table().functions()));
  return known[f.name()] = std::make_shared<const std::vector<Address>>(std::move(found));
}

scripting::Range find_variable(const char* name, const scripting::Place& at) {
  const NamedObject* found = nullptr;
  for (const NamedObject& o : symbol_table().variables()) {
    if (!report::is_named(o.name, name)) continue;
    if (found && found->start != o.start)
      throw Mistake(at, "there is more than one variable '" + std::string(name) + "': '" +
                            found->name + "', '" + o.name + "'");
    found = &o;
  }
  if (!found)
    throw Mistake(at, "there is no global variable '" + std::string(name) + "' in this program" +
                          closest(name, symbol_table().variables()));
  return {found->start, found->size};
}

std::string place_of(std::uint64_t pc) {
  if (pc == 0) return "";
  const auto& frames = symbols().frames(pc);
  for (const report::Frame& f : frames)
    if (report::is_user_frame(f) && f.line != 0)
      return report::place_text(f) + " in " + report::short_function(f.function);
  return frames.empty() ? "" : report::short_function(frames.back().function);
}

std::string object_of(std::uint8_t kind, Address a, std::uint32_t size) {
  if (a == 0) return "";
  switch (static_cast<EventKind>(kind)) {
    case EventKind::function_enter:
    case EventKind::function_return:
      if (const NamedObject* f = symbol_table().function_at(a))
        return report::short_function(f->name);
      return "";
    case EventKind::control:
      return reinterpret_cast<const char*>(a);
    default:
      break;
  }
  std::uint64_t offset = 0;
  const std::string name = symbols().data_symbol(a, offset);
  if (name.empty()) return "";
  return "`" + name + symbols().data_member(a, size ? size : 1) + "`";
}

}  // namespace jostle::scripts

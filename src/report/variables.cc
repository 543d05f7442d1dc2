#include "report/variables.h"

#include <algorithm>
#include <optional>

#include "report/dwarf_index.h"
#include "report/dwarf_types.h"

namespace jostle::report {

using namespace dwarf;

namespace {

enum : unsigned { kOpReg0 = 0x50, kOpBreg0 = 0x70, kOpFbreg = 0x91, kOpCallFrameCfa = 0x9c };
constexpr unsigned kBp = 6, kSp = 7;  // numbers of registers
constexpr int kMostScopes = 64;       // nested: damaged input is no reason to run out of stack

bool register_of(const StackFrame& f, std::uint64_t number, Address& out) {
  if (number != kBp && number != kSp) return false;  // others are not known
  out = number == kBp ? f.bp : f.sp;
  return true;
}

// Where an expression says that a variable lies; false for one that lies in no memory, or not in
// one piece, or where only more than the frame could tell.
bool evaluate(std::string_view expression, const StackFrame& f, std::optional<Address> base,
              Address& out) {
  if (expression.empty()) return false;
  Bytes in(expression);
  const std::uint64_t op = in.fixed(1);
  if (op == kOpCallFrameCfa) {
    out = f.cfa;
  } else if (op == kOpFbreg && base) {
    out = *base + static_cast<std::uint64_t>(in.sleb());
  } else if (op >= kOpBreg0 && op < kOpBreg0 + 32) {
    if (!register_of(f, op - kOpBreg0, out)) return false;
    out += static_cast<std::uint64_t>(in.sleb());
  } else {
    return false;
  }
  return in.ok() && in.done();
}

// The frame base may also be the content of a register.
std::optional<Address> frame_base(std::string_view expression, const StackFrame& f) {
  Address at = 0;
  if (evaluate(expression, f, std::nullopt, at)) return at;
  if (expression.size() != 1) return std::nullopt;
  const auto op = static_cast<unsigned char>(expression[0]);
  if (op < kOpReg0 || op >= kOpReg0 + 32 || !register_of(f, op - kOpReg0, at)) return std::nullopt;
  return at;
}

}  // namespace

enum : std::uint64_t { kFloat = 4, kSigned = 5, kSignedChar = 6 };  // DW_ATE_*

struct VariableTable::Contents {
  explicit Contents(const std::string& path)
      : image(path),
        info(sections_of(image)),
        index(info.units().size()),
        types(info, [this](const Entry& e) { return index_for(*e.unit).is_library(e.offset); }) {
    for (const Unit& u : info.units())
      info.each_range(info.root(u), [&](std::uint64_t low, std::uint64_t high) {
        code.push_back({low, high, &u});
      });
  }

  const UnitIndex& index_for(const Unit& u) {
    auto& i = index[static_cast<std::size_t>(&u - info.units().data())];
    if (!i) i = index_of(info, u);
    return *i;
  }

  // False: nothing that a script can ask for.
  bool describe(const Entry& of, Parameter& out) {
    const Entry type = types.plain(of);
    const unsigned tag = type.tag();
    const std::uint64_t encoding = tag == kBaseType ? info.get(type, kAtEncoding).number : 0;
    const bool pointer =
        tag == kPointerType || tag == kReferenceType || tag == kRvalueReferenceType;
    out.size = pointer ? 8 : types.size(type);
    out.is_signed = encoding == kSigned || encoding == kSignedChar;
    if ((!pointer && tag != kBaseType && tag != kEnumerationType) || encoding == kFloat ||
        out.size == 0 || out.size > 8)
      out.problem = "it is neither a number without a fraction nor a pointer";
    return out.problem.empty();
  }

  // A variable that is in scope at a place in the code.
  struct Variable {
    std::string_view name;
    Entry type;
    std::uint64_t size;
    std::vector<Info::Location> locations;
  };
  // What a function says about a place in it.
  struct Scope {
    std::optional<std::string_view> base;  // the expression of the frame base
    std::vector<Variable> variables;       // of scopes further in later
  };
  void collect(const Entry& scope, std::uint64_t pc, Scope& out, int depth) {
    info.each_child(scope, [&](const Entry& e) {
      const unsigned tag = e.tag();
      if (tag == kVariable || tag == kFormalParameter) {
        const std::string_view name = info.name(e);
        if (name.empty() || name.starts_with("__")) return true;  // the compiler's or a library's
        std::vector<Info::Location> locations = info.locations(e, kAtLocation);
        if (locations.empty()) return true;
        const Entry type = info.type(e);
        const std::uint64_t size = std::max<std::uint64_t>(types.size(type), 1);
        out.variables.push_back({name, type, size, std::move(locations)});
      } else if (depth < kMostScopes && (tag == kLexicalBlock || tag == kInlinedSubroutine) &&
                 info.covers(e, pc)) {
        collect(e, pc, out, depth + 1);
      }
      return true;
    });
  }
  // Of each function that covers the place. A trace has many events and few places, so what is said
  // of a place is read once.
  const std::vector<Scope>& scopes_at(std::uint64_t pc) {
    const auto [known, is_new] = scopes.try_emplace(pc);
    if (!is_new) return known->second;
    for (const Code& c : code) {
      if (pc < c.low || pc >= c.high) continue;
      for (const UnitIndex::Function& f : index_for(*c.unit).functions) {
        if (pc < f.low || pc >= f.high) continue;
        const Entry function = info.at(*c.unit, f.entry);
        Scope& s = known->second.emplace_back();
        for (const Info::Location& l : info.locations(function, kAtFrameBase))
          if (pc >= l.low && pc < l.high) s.base = l.expression;
        collect(function, pc, s, 0);
      }
    }
    return known->second;
  }

  // Where the variable starts, if that covers the address. `elsewhere`: also by where it lies at
  // other places of the function.
  static bool covers(const Variable& v, const StackFrame& call, std::optional<Address> base,
                     Address address, bool elsewhere, Address& start) {
    const std::uint64_t pc = call.pc - 1;
    for (const Info::Location& l : v.locations)
      if ((elsewhere || (pc >= l.low && pc < l.high)) &&
          evaluate(l.expression, call, base, start) && address >= start && address - start < v.size)
        return true;
    return false;
  }

  struct Code {
    std::uint64_t low, high;
    const Unit* unit;
  };
  ElfImage image;
  Info info;
  std::vector<std::optional<UnitIndex>> index;
  Types types;
  std::vector<Code> code;
  std::unordered_map<std::uint64_t, std::vector<Scope>> scopes;  // by place
};

VariableTable::VariableTable(const std::string& path)
    : contents_(std::make_unique<Contents>(path)) {}
VariableTable::~VariableTable() = default;

StackVariable VariableTable::on_stack(const StackFrame& call, Address address,
                                      std::uint64_t bytes) {
  Contents& c = *contents_;
  // The call is the instruction before the one that it returns to.
  const std::uint64_t pc = call.pc - 1;
  // Optimised code says of a variable in memory that it has a certain value wherever the function
  // itself could not notice a difference. A variable does not move: if at another place it is said
  // to lie at the address, and no other variable in scope is, then it lies there.
  const std::vector<Contents::Scope>& scopes = c.scopes_at(pc);
  for (const bool elsewhere : {false, true})
    for (const Contents::Scope& scope : scopes) {
      std::optional<Address> base;
      if (scope.base) base = frame_base(*scope.base, call);
      const Contents::Variable* found = nullptr;
      Address at = 0, start = 0;
      int count = 0;
      for (const Contents::Variable& v : scope.variables) {
        if (!Contents::covers(v, call, base, address, elsewhere, start)) continue;
        found = &v;
        at = start;
        ++count;
      }
      if (!found || (elsewhere && count > 1)) continue;
      return {std::string(found->name), c.types.path(found->type, address - at, bytes), at};
    }
  return {};
}

namespace {

// Where a parameter is, from an expression for the place where the hook at the function's beginning
// returns to: only what a call leaves as it is can be meant there.
bool locate(std::string_view expression, const Registers& r, std::string_view frame_base,
            Parameter& out) {
  if (expression.empty()) return false;
  Bytes in(expression);
  const std::uint64_t op = in.fixed(1);
  if (op >= kOpReg0 && op < kOpReg0 + 32) {
    out.in_memory = false;
    if (op == kOpReg0 + kSp || !r.get(op - kOpReg0, out.value)) return false;
  } else if (op >= kOpBreg0 && op < kOpBreg0 + 32) {
    out.in_memory = true;
    if (!r.get(op - kOpBreg0, out.value)) return false;
    out.value += static_cast<std::uint64_t>(in.sleb());
  } else if (op == kOpFbreg && frame_base.size() == 1) {
    const auto base = static_cast<unsigned char>(frame_base[0]);
    out.in_memory = true;
    if (base == kOpCallFrameCfa)
      out.value = r.cfa;
    else if (base < kOpReg0 || base >= kOpReg0 + 32 || !r.get(base - kOpReg0, out.value))
      return false;
    out.value += static_cast<std::uint64_t>(in.sleb());
  } else {
    return false;
  }
  return in.ok() && in.done();
}

constexpr const char* kNoInformation = "there is no debug information for it: build with -g";

}  // namespace

template <class Use>
Parameter VariableTable::with_function(std::uint64_t pc, Use use) {
  Contents& c = *contents_;
  for (const Contents::Code& code : c.code) {
    if (pc < code.low || pc >= code.high) continue;
    for (const UnitIndex::Function& f : c.index_for(*code.unit).functions)
      if (pc >= f.low && pc < f.high) return use(c, c.info.at(*code.unit, f.entry));
  }
  Parameter none;
  none.problem = kNoInformation;
  return none;
}

Parameter VariableTable::parameter(std::uint64_t pc, const Registers& registers,
                                   const std::string& name, unsigned number) {
  return with_function(pc, [&](Contents& c, const Entry& function) {
    Parameter out;
    Entry found;
    std::string known;
    unsigned at = 0;
    c.info.each_child(function, [&](const Entry& e) {
      if (e.tag() != kFormalParameter) return true;
      const std::string is(c.info.name(e));
      known += (known.empty() ? "" : ", ") + (is.empty() ? "(no name)" : is);
      if (name.empty() ? at == number : is == name) found = e;
      ++at;
      return true;
    });
    if (!found) {
      out.problem = "the function has no such parameter; it has " +
                    (known.empty() ? std::string("none") : known);
      return out;
    }
    if (!c.describe(c.info.type(found), out)) return out;
    std::string_view base;
    for (const Info::Location& l : c.info.locations(function, kAtFrameBase))
      if (pc >= l.low && pc < l.high) base = l.expression;
    for (const Info::Location& l : c.info.locations(found, kAtLocation))
      if (pc >= l.low && pc < l.high && locate(l.expression, registers, base, out)) return out;
    out.problem =
        "the debug information knows no place where it is kept at the beginning of the function: "
        "nobody uses it, or the optimiser has changed it; -O0 keeps everything";
    return out;
  });
}

Parameter VariableTable::result(std::uint64_t pc, std::uint64_t end) {
  return with_function(pc, [&](Contents& c, const Entry& function) {
    Parameter out;
    const Entry type = c.info.type(function);
    if (!type)
      out.problem = "the function returns nothing";
    else if (c.describe(type, out) && with_function(end, [&](Contents&, const Entry& other) {
                                        Parameter at;
                                        at.value = other.offset == function.offset;
                                        return at;
                                      }).value == 0)
      out.problem = "the function ends in another one";
    return out;
  });
}

Parameter ProcessVariables::parameter(const Registers& registers, const std::string& name,
                                      unsigned number) {
  std::uint64_t base = 0;
  if (VariableTable* table = table_of(registers.pc, base))
    return table->parameter(registers.pc - base, registers, name, number);
  Parameter none;
  none.problem = kNoInformation;
  return none;
}

Parameter ProcessVariables::result(std::uint64_t pc, std::uint64_t end) {
  std::uint64_t base = 0;
  if (VariableTable* table = table_of(pc, base)) return table->result(pc - base, end - base);
  Parameter none;
  none.problem = kNoInformation;
  return none;
}

std::string VariableTable::member(std::uint64_t start, std::uint64_t offset, std::uint64_t bytes) {
  Contents& c = *contents_;
  for (const Unit& u : c.info.units())
    for (const UnitIndex::Global& g : c.index_for(u).globals)
      if (g.address == start)
        if (const Entry type = c.info.type(c.info.at(u, g.entry)); c.types.size(type) != 0)
          return c.types.path(type, offset, bytes);
  return offset == 0 ? "" : "+" + std::to_string(offset);
}

VariableTable* ProcessVariables::table_of(std::uint64_t address, std::uint64_t& base) {
  const LoadedObject object = loaded_object(address);
  if (object.path.empty()) return nullptr;
  base = object.base;
  std::unique_ptr<VariableTable>& table = objects_[object.path];
  if (!table) table = std::make_unique<VariableTable>(object.path);
  return table.get();
}

StackVariable ProcessVariables::on_stack(const StackFrame& call, Address address,
                                         std::uint64_t bytes) {
  const auto find = [&](StackFrame f) {
    std::uint64_t base = 0;
    VariableTable* table = table_of(f.pc - 1, base);
    f.pc -= base;
    return table ? table->on_stack(f, address, bytes) : StackVariable();
  };
  StackVariable v = find(call);
  if (v.name.empty() && call.callee_pc != 0)
    v = find({call.callee_pc, call.sp, 0, call.callee_bp, 0, 0});
  return v;
}

std::string ProcessVariables::member(Address start, std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t base = 0;
  VariableTable* table = table_of(start, base);
  if (table) return table->member(start - base, offset, bytes);
  return offset == 0 ? "" : "+" + std::to_string(offset);
}

}  // namespace jostle::report

#include "report/symbols.h"

#include <backtrace.h>
#include <cxxabi.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "events/files.h"
#include "report/frames.h"

namespace jostle::report {
namespace {

// Debug information is optional: without it a question simply has no answer.
void ignore_error(void*, const char*, int) {}

// Grows whenever an object is loaded.
std::uint64_t loaded_objects() {
  std::uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

// libbacktrace looks at the loaded objects once, and its state cannot be freed: one state for
// the whole process, made anew only after a dlopen.
backtrace_state* state() {
  static backtrace_state* current = nullptr;
  static std::uint64_t made_for = 0;
  if (const std::uint64_t now = loaded_objects(); !current || now != made_for) {
    current = backtrace_create_state(nullptr, /*threaded=*/1, ignore_error, nullptr);
    made_for = now;
  }
  return current;
}

// Null: nothing beyond what the object's own code is known for can be had.
backtrace_state* more_of(const ObjectCode& code, std::uint64_t address) {
  const bool here = (address >> ForeignFiles::kShift) == 0;
  return here && code.has_more() ? state() : nullptr;
}

// libbacktrace puts the directory of the compilation before a path of clang's that is absolute.
std::string source_path(std::string_view path) {
  const std::size_t joint = path.rfind("//");
  if (joint != std::string_view::npos && joint != 0) {
    const std::string absolute(path.substr(joint + 1));
    if (::access(absolute.c_str(), F_OK) == 0) return normalise(absolute);
  }
  return normalise(path);
}

int add_frame(void* out, std::uintptr_t, const char* file, int line, const char* function) {
  if (!file && !function) return 0;
  Frame f;
  if (function) f.function = demangle(function);
  if (file) f.file = source_path(file);
  f.line = line > 0 ? static_cast<std::uint32_t>(line) : 0;
  static_cast<std::vector<Frame>*>(out)->push_back(std::move(f));
  return 0;
}

bool is_system_library(std::string_view path) {
  return path.starts_with("/lib/") || path.starts_with("/lib64/") || path.starts_with("/usr/lib");
}

// Is `full` the function `name` together with its scope?
bool is_scoped(const std::string& full, const std::string& name) {
  return full.ends_with("::" + name) || (name == "operator()" && full.ends_with("{lambda}"));
}

}  // namespace

std::string demangle(const char* symbol) {
  // Without this test the demangler reads "i" as a type and answers "int".
  if (symbol[0] != '_' || symbol[1] != 'Z') return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) return symbol;
  return text.get();
}

Symbols::Symbol Symbols::symbol_at(std::uint64_t address) {
  Symbol out;
  std::uint64_t base = 0;
  const ObjectCode* code = code_.of(address, base);
  if (!code) return out;
  ObjectCode::Symbol found;
  if (code->symbol(address - base, found)) {
    out.name = demangle(std::string(found.name).c_str());
    out.start = base + found.start;
  } else if (backtrace_state* b = more_of(*code, address)) {
    const auto take = [](void* data, std::uintptr_t, const char* name, std::uintptr_t start,
                         std::uintptr_t) {
      if (name) *static_cast<Symbol*>(data) = {demangle(name), start};
    };
    backtrace_syminfo(b, address, take, ignore_error, &out);
  }
  return out;
}

std::string Symbols::place_in_function(std::uint64_t return_address) {
  const auto offset = [&](std::uint64_t from) {
    char text[24];
    std::snprintf(text, sizeof text, "+0x%llx",
                  static_cast<unsigned long long>(return_address - from));
    return std::string(text);
  };
  const Symbol s = symbol_at(return_address - 1);
  if (!s.name.empty()) return s.name + offset(s.start);
  std::uint64_t base = 0;
  const ObjectCode* code = code_.of(return_address - 1, base);
  const std::string build = code ? code->build_id() : "";
  return build.empty() ? "" : build + offset(base);
}

const std::vector<Frame>& Symbols::frames(std::uint64_t return_address) {
  const auto [entry, is_new] = frames_.try_emplace(return_address);
  std::vector<Frame>& out = entry->second;
  if (!is_new || return_address == 0) return out;
  // The call is the instruction before: its line may differ from that of the return address.
  const std::uint64_t call = return_address - 1;
  std::uint64_t base = 0;
  ObjectCode* code = code_.of(call, base);
  if (!code) return out;
  code->frames(call - base, out);
  for (Frame& f : out) f.file = source_path(f.file);
  if (out.empty())
    if (backtrace_state* b = more_of(*code, call))
      backtrace_pcinfo(b, call, add_frame, ignore_error, &out);
  // The symbol table names the outermost function too, and knows its scope where the debug
  // information does not (gcc, anonymous namespaces).
  Symbol s = symbol_at(call);
  if (!s.name.empty()) {
    if (out.empty()) out.emplace_back();
    std::string& name = out.back().function;
    if (name.empty() || is_scoped(short_function(s.name), short_function(name)))
      name = std::move(s.name);
  }
  if (out.size() <= 1 && (out.empty() || out[0].line == 0)) {
    Frame f;
    if (lines_.find(call, f.file, f.line)) {
      if (out.empty()) out.emplace_back();
      out[0].file = source_path(f.file);
      out[0].line = f.line;
    }
  }
  const bool system = is_system_library(loaded_object(call).path);
  for (Frame& f : out) f.system = system;
  return out;
}

std::string Symbols::data_symbol(Address address, std::uint64_t& offset) {
  const auto [entry, is_new] = data_.try_emplace(address);
  Symbol& d = entry->second;
  if (is_new) d = symbol_at(address);
  offset = d.name.empty() ? 0 : address - d.start;
  return d.name;
}

std::string Symbols::data_member(Address address, std::uint64_t bytes) {
  std::uint64_t offset = 0;
  if (data_symbol(address, offset).empty()) return "";
  return variables_.member(address - offset, offset, bytes);
}

StackVariable Symbols::stack_variable(const StackFrame& call, Address address,
                                      std::uint64_t bytes) {
  return variables_.on_stack(call, address, bytes);
}

}  // namespace jostle::report

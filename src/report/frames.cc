#include "report/frames.h"

#include <algorithm>

namespace jostle::report {
namespace {

// Jostle's own sources, wherever they were when it was built.
bool is_own_file(std::string_view file) {
  static const std::string root = [] {
    const std::string here = normalise(__FILE__);
    const std::size_t at = here.rfind("report/frames.cc");
    return at == std::string::npos || at == 0 ? std::string("?") : here.substr(0, at);
  }();
  return file.starts_with(root) && !file.ends_with("_test.cc");
}

bool is_foreign_file(std::string_view file) {
  if (is_own_file(file)) return true;
  for (const std::string_view prefix : {"/usr/include/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/",
                                        "/usr/libexec/", "/usr/src/", "/lib/", "/build/glibc"})
    if (file.starts_with(prefix)) return true;
  for (const std::string_view part :
       {"/include/jostle/", "/libstdc++-v3/", "/sysdeps/", "/googletest/src/", "/nptl/"})
    if (file.find(part) != std::string_view::npos) return true;
  return false;
}

bool is_foreign_function(std::string_view function) {
  const std::string name = short_function(function);
  for (const std::string_view prefix :
       {"jostle::", "std::", "__gnu_cxx::", "__cxxabiv1::", "__tsan_", "__cxa_", "__libc_",
        "__pthread_", "pthread_", "operator new", "operator delete", "testing::", "Catch::"})
    if (name.starts_with(prefix)) return true;
  for (const std::string_view whole : {"malloc", "free", "calloc", "realloc", "clone", "clone3",
                                       "start_thread", "_start", "abort", "raise"})
    if (name == whole) return true;
  return false;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string normalise(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool absolute = path.starts_with("/");
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty() || absolute) out += '/';
    out += part;
  }
  return out;
}

bool is_user_frame(const Frame& f) {
  if (f.file.empty()) return !f.system && !f.function.empty() && !is_foreign_function(f.function);
  if (is_foreign_file(f.file)) return false;
  // Distributions build their libraries with relative paths: "nptl/pthread_create.c".
  if (!f.file.starts_with("/") && is_foreign_function(f.function)) return false;
  // With a file of the user's own, only Jostle (whose sources may lie anywhere) and test
  // frameworks are told by name: a user may well specialise something in std.
  const std::string name = short_function(f.function);
  for (const std::string_view prefix : {"jostle::", "testing::", "Catch::", "__tsan_", "pthread_"})
    if (name.starts_with(prefix)) return false;
  return true;
}

std::vector<std::uint64_t> stack_of(const Trace& t, const Event& e) {
  std::vector<std::uint64_t> pcs;
  if (e.pc != 0) pcs.push_back(e.pc);
  if (e.stack == 0 || e.stack >= t.stacks.size()) return pcs;
  const std::uint64_t room = t.stacks.size() - e.stack - 1;
  const std::uint64_t count = std::min(t.stacks[e.stack], room);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t pc = t.stacks[e.stack + 1 + i];
    // Recorders differ in whether the stack repeats the event's own pc.
    if (i == 0 && pc == e.pc) continue;
    pcs.push_back(pc);
  }
  return pcs;
}

std::vector<std::uint64_t> stack_of(const Trace& t, const Place& p) {
  if (p.event != 0 && p.event <= t.events.size()) return stack_of(t, t.events[p.event - 1]);
  for (const Blocked& b : t.blocked)
    if (b.thread == p.thread && b.pc == p.pc) return stack_of(t, b);
  if (p.pc == 0) return {};
  return {p.pc};
}

std::vector<std::uint64_t> stack_of(const Trace& t, const Blocked& b) {
  Event e;
  e.pc = b.pc;
  e.stack = b.stack;
  return stack_of(t, e);
}

std::vector<std::uint64_t> stack_of(const Trace& t, const Decision& d) {
  if (d.stack == 0 || d.stack + std::size_t{1} >= t.stacks.size()) return {};
  Event e;
  e.pc = t.stacks[d.stack + std::size_t{1}];
  e.stack = d.stack;
  return stack_of(t, e);
}

std::vector<Frame> resolve(SymbolSource& s, std::span<const std::uint64_t> pcs) {
  std::vector<Frame> all;
  for (const std::uint64_t pc : pcs) {
    const std::vector<Frame>& frames = s.frames(pc);
    all.insert(all.end(), frames.begin(), frames.end());
  }
  return all;
}

Frame user_frame(SymbolSource& s, std::span<const std::uint64_t> pcs) {
  Frame with_line, any;
  for (const std::uint64_t pc : pcs)
    for (const Frame& f : s.frames(pc)) {
      if (is_user_frame(f)) return f;
      if (is_own_file(f.file)) continue;
      // Debug information of the distribution's libraries, if it is there at all, has relative
      // paths to sources that nobody has.
      const bool useful = f.line != 0 && f.file.starts_with("/");
      if (with_line.line == 0 && useful) with_line = f;
      if (any.function.empty() && !f.function.empty()) {
        any.function = f.function.starts_with("__GI_") ? f.function.substr(5) : f.function;
      }
    }
  return with_line.line != 0 ? with_line : any;
}

Frame where(const Trace& t, SymbolSource& s, const Event& e) {
  return user_frame(s, stack_of(t, e));
}
Frame where(const Trace& t, SymbolSource& s, const Place& p) {
  return user_frame(s, stack_of(t, p));
}

Frame where(const Trace& t, SymbolSource& s, const Problem& p) {
  Frame f = where(t, s, p.place);
  const std::string_view file(p.file, ::strnlen(p.file, sizeof p.file));
  if (!file.empty()) {
    // The function is worth keeping only if it is the one that the named place lies in.
    if (base_name(f.file) != base_name(file)) f.function.clear();
    f.file = normalise(file);
    f.line = p.line;
  }
  return f;
}

std::string place_text(const Frame& f) {
  if (f.file.empty()) return f.function.empty() ? "?" : short_function(f.function);
  std::string text(base_name(f.file));
  if (f.line != 0) text += ":" + std::to_string(f.line);
  return text;
}

}  // namespace jostle::report

#include "report/naming.h"

#include <algorithm>

#include "report/frames.h"

namespace jostle::report {
namespace {

std::string plus(std::string name, std::uint64_t offset, std::string_view before = "") {
  if (offset == 0) return name;
  return name + std::string(before) + "+" + std::to_string(offset);
}

// 0 -> A, 25 -> Z, 26 -> AA
std::string letters(std::size_t n) {
  std::string out;
  for (++n; n > 0; n = (n - 1) / 26) out.insert(out.begin(), static_cast<char>('A' + (n - 1) % 26));
  return out;
}

}  // namespace

std::string thread_label(ThreadId t) { return t == kNoThread ? "?" : "T" + std::to_string(t); }

std::string thread_title(const Trace& trace, ThreadId t) {
  std::string label = thread_label(t);
  if (t >= trace.threads.size()) return label;
  const ThreadInfo& info = trace.threads[t];
  if (info.parent == kNoThread) return label + " (main)";
  const std::string_view name(info.name, ::strnlen(info.name, sizeof info.name));
  const bool nested =
      info.parent < trace.threads.size() && trace.threads[info.parent].parent != kNoThread;
  std::string more(name);
  if (nested) more += (more.empty() ? "" : " ") + trace.path_of(t);
  return more.empty() ? label : label + " (" + more + ")";
}

std::string_view noun_of(EventKind kind) {
  const std::string_view name = jostle::name_of(kind);
  const std::pair<std::string_view, std::string_view> nouns[] = {
      {"mutex_", "mutex"},     {"cond_", "condition"}, {"rwlock_", "rwlock"}, {"spin_", "spinlock"},
      {"barrier_", "barrier"}, {"sem_", "semaphore"},  {"once_", "once"},     {"futex_", "futex"}};
  for (const auto& [prefix, noun] : nouns)
    if (name.starts_with(prefix)) return noun;
  return "object";
}

Naming::Naming(const Trace& trace, SymbolSource& symbols) : trace_(trace), symbols_(symbols) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.frame != 0 && e.frame <= trace.frames.size()) uses_[e.address].push_back(i);
    if (e.address != 0 && noun_of(e.kind) != noun_of(EventKind::point))
      kinds_.try_emplace(e.address, e.kind);
    if (e.kind != EventKind::alloc || e.address == 0) continue;
    blocks_.push_back({e.address, e.value != 0 ? e.value : e.size, i, 0});
    block_places_.push_back(place_text(where(trace, symbols, e)));
    blocks_.back().ordinal = ++blocks_at_[block_places_.back()];
  }
}

const Naming::Block* Naming::block_of(Address address, std::size_t event) const {
  // The latest allocation that covers the address, even if it was freed since: that is the
  // block a dangling pointer once meant.
  for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b)
    if (b->event <= event && address >= b->start &&
        address - b->start < std::max<std::uint64_t>(b->bytes, 1))
      return &*b;
  return nullptr;
}

std::size_t Naming::allocation(Address address, std::size_t event) const {
  const Block* b = block_of(address, event);
  return b ? b->event : trace_.events.size();
}

std::string Naming::lettered(Address address, EventKind kind) {
  std::string& name = letters_[address];
  // A constructor's writes come before the first lock.
  if (const auto used = kinds_.find(address); used != kinds_.end()) kind = used->second;
  if (name.empty()) name = std::string(noun_of(kind)) + " " + letters(letters_.size() - 1);
  return name;
}

std::uint32_t Naming::bytes_of(Address address, std::size_t event) const {
  if (event >= trace_.events.size() || trace_.events[event].address != address) return 0;
  return trace_.events[event].size;
}

bool Naming::same_call(const StackFrame& a, const StackFrame& b) {
  if (a.cfa != b.cfa) return false;
  const std::vector<Frame>&f = symbols_.frames(a.pc), &g = symbols_.frames(b.pc);
  return a.pc == b.pc || (!f.empty() && !g.empty() && f.back().function == g.back().function);
}

// The call that the address belonged to is the one seen by the event itself, else by the last event
// before that used the address, or by a thread that waits for it in the end, else by the first one
// after. Debug information of optimised code may know the variable only at some places in the call.
StackVariable Naming::variable_at(Address address, std::size_t event) {
  const std::uint64_t bytes = bytes_of(address, event);
  if (event >= trace_.events.size())
    for (const Blocked& b : trace_.blocked) {
      if (b.address != address || b.frame == 0 || b.frame > trace_.frames.size()) continue;
      const StackVariable v = symbols_.stack_variable(trace_.frames[b.frame - 1], address, bytes);
      if (!v.name.empty()) return v;
    }
  const auto found = uses_.find(address);
  if (found == uses_.end()) return {};
  const std::vector<std::size_t>& uses = found->second;
  const auto frame_at = [&](std::size_t i) -> const StackFrame& {
    return trace_.frames[trace_.events[uses[i]].frame - 1];
  };
  auto at =
      static_cast<std::size_t>(std::upper_bound(uses.begin(), uses.end(), event) - uses.begin());
  if (at > 0) --at;
  const StackFrame& own = frame_at(at);
  StackVariable v = symbols_.stack_variable(own, address, bytes);
  constexpr std::size_t kFar = 64;
  const auto look = [&](std::size_t i) {
    if (!v.name.empty() || !same_call(own, frame_at(i))) return false;
    v = symbols_.stack_variable(frame_at(i), address, bytes);
    return true;
  };
  for (std::size_t i = at + 1; i < uses.size() && i < at + kFar && look(i);) ++i;
  for (std::size_t i = at; i > 0 && i + kFar > at && look(i - 1);) --i;
  return v;
}

std::string Naming::on_stack(Address address, std::size_t event) {
  const StackVariable v = variable_at(address, event);
  if (v.name.empty()) return "";
  // What the body of a JOSTLE_TEST_F calls `balance` is a member of a variable in jostle/gtest.hpp.
  if (v.name == "jostle_fixture" && v.path.starts_with(".")) return v.path.substr(1);
  std::vector<Address>& starts = starts_[v.name];
  auto at = std::find(starts.begin(), starts.end(), v.start);
  if (at == starts.end()) at = starts.insert(at, v.start);
  const auto ordinal = at - starts.begin() + 1;
  return v.name + (ordinal > 1 ? "#" + std::to_string(ordinal) : "") + v.path;
}

std::string Naming::name(Address address, std::size_t event, EventKind kind) {
  if (address == 0) return "";
  if (const std::string local = on_stack(address, event); !local.empty()) return local;
  std::uint64_t offset = 0;
  if (const std::string symbol = symbols_.data_symbol(address, offset); !symbol.empty())
    return short_function(symbol) + symbols_.data_member(address, bytes_of(address, event));
  if (const Block* b = block_of(address, event)) {
    const std::string& place = block_places_[static_cast<std::size_t>(b - blocks_.data())];
    std::string text = "heap(" + place + ")";
    if (blocks_at_[place] > 1) text += "#" + std::to_string(b->ordinal);
    return plus(text, address - b->start);
  }
  return lettered(address, kind);
}

std::string Naming::long_name(Address address, std::size_t event, EventKind kind) {
  std::uint64_t offset = 0;
  const Block* b = block_of(address, event);
  if (!b || !symbols_.data_symbol(address, offset).empty()) return name(address, event, kind);
  const Frame f = where(trace_, symbols_, trace_.events[b->event]);
  std::string text = "heap block of " + std::to_string(b->bytes) +
                     (b->bytes == 1 ? " byte from " : " bytes from ");
  if (f.function.empty() || f.file.empty())
    text += place_text(f);
  else
    text += short_function(f.function) + " (" + place_text(f) + ")";
  return plus(text, address - b->start, " ");
}

}  // namespace jostle::report

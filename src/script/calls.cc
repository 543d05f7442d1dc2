#include "script/calls.h"

#include <algorithm>

#include "runtime/self.h"
#include "script/names.h"

namespace jostle::scripts {

Calls::Calls() : stacks_(kMaxThreads), known_(kKnown) {
  stacks_.resize(kMaxThreads);
  known_.resize(kKnown);
}

void Calls::reset() {
  for (std::uint32_t i = 0; i < threads_; ++i) stacks_[i].depth = 0;
  threads_ = 0;
}

Address Calls::function_of(Thread& t, std::uint64_t pc) {
  std::size_t i = (pc * 0x9e3779b97f4a7c15ull) >> 48;
  for (std::size_t tries = 0; tries < 64; ++tries, i = (i + 1) % kKnown) {
    if (known_[i].pc == pc) return known_[i].function;
    if (known_[i].pc == 0) break;
  }
  InRuntime guard(t);
  const report::NamedObject* f = symbol_table().function_at(pc);
  const Address start = f ? f->start : pc;
  if (known_[i].pc == 0) known_[i] = {pc, start};
  return start;
}

Address Calls::enter(Thread& t, std::uint64_t pc) {
  const Address f = function_of(t, pc);
  Stack& s = stacks_[t.id];
  threads_ = std::max<std::uint32_t>(threads_, t.id + 1u);
  if (s.depth < kDepth) s.function[s.depth] = f;
  ++s.depth;
  return f;
}

Address Calls::innermost(const Thread& t) const {
  const Stack& s = stacks_.begin()[t.id];
  return s.depth > 0 && s.depth <= kDepth ? s.function[s.depth - 1] : 0;
}

void Calls::leave(const Thread& t) {
  Stack& s = stacks_[t.id];
  if (s.depth > 0) --s.depth;
}

bool Calls::inside(ThreadId t, const std::vector<Address>& starts) const {
  const Stack& s = stacks_.begin()[t];
  for (std::uint32_t d = 0; d < std::min(s.depth, kDepth); ++d)
    if (std::binary_search(starts.begin(), starts.end(), s.function[d])) return true;
  return false;
}

}  // namespace jostle::scripts

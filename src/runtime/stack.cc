// Looking at the calling thread's own stack: for traces, and for telling whether a spinning
// thread is where it was a turn ago.
#include "base/rng.h"
#include "runtime/backend.h"
#include "runtime/engine.h"
#include "runtime/frames.h"
#include "runtime/self.h"
#include "runtime/start_point.h"
#include "runtime/unwind.h"

namespace jostle {

std::size_t capture_stack(std::uint64_t pc, std::uint64_t* pcs, std::size_t room) {
  Thread* t = t_self;
  if (!t) return 0;
  InRuntime guard(*t);
  FrameList*& list = carrier_of(*t).frames;
  walk_stack(list);
  return known_stack(*t, pc, pcs, room);
}

std::size_t known_stack(const Thread& t, std::uint64_t pc, std::uint64_t* pcs, std::size_t room) {
  const FrameList* list = carrier_of(t).frames;
  if (!list) return 0;
  std::size_t first = 0;
  while (first < list->count && list->at[first].pc != pc) ++first;
  if (first == list->count) {  // not on the stack: the place itself, then everything
    if (room == 0 || pc == 0) return 0;
    pcs[0] = pc;
    return 1;
  }
  const std::size_t n = list->count - first < room ? list->count - first : room;
  for (std::size_t i = 0; i < n; ++i) pcs[i] = list->at[first + i].pc;
  return n;
}

bool frame_of(Address a, StackFrame& out) {
  const StackFrame* f = g_engine->find_frame(a);
  if (f) out = *f;
  return f != nullptr;
}

void watch_writes(bool on) { g_engine->watch_writes(on); }

std::uint64_t thread_state(Thread& t, std::uint64_t pc, std::uint64_t& place) {
  InRuntime guard(t);
  Address sp = 0;
  std::uint64_t registers = 0;
  std::uint32_t callers = 6;  // and itself
  place = 0;
  walk_frames([&](const CallFrame& f) {
    if (sp == 0) {
      if (f.pc != pc) return true;
      sp = f.sp;
      for (const std::uint64_t r : {f.rbx, f.rbp, f.r12, f.r13, f.r14, f.r15})
        registers = combine64(registers, r);
    }
    place = (place ^ f.pc ^ place >> 29) * 0x9fb21c651e98df25ull;
    return --callers > 0;
  });
  if (sp == 0) return 0;
  const Carrier& c = carrier_of(t);
  const auto low = reinterpret_cast<Address>(c.stack_low);
  const Address high = low + c.stack_size;
  if (sp < low || sp >= high) return 0;
  // Below the carrier's own frames; deep stacks are hashed only in part, which can only make
  // two states look equal that differ far up, where a spinning thread does not write.
  // A kernel thread's frames begin above where a fiber's would; T0 of a program is there after
  // main.
  Address end = reinterpret_cast<Address>(c.top);
  if (sp >= end && &c != start_carrier()) end += Carrier::kReserve;
  if (sp >= end) return 0;
  if (end - sp > (256u << 10)) end = sp + (256u << 10);
  std::uint64_t h = registers;
  for (Address a = sp & ~7ull; a + 8 <= end; a += 8)
    h = (h ^ *reinterpret_cast<const std::uint64_t*>(a)) * 0x9fb21c651e98df25ull + (h >> 31);
  return h | 1;
}

}  // namespace jostle

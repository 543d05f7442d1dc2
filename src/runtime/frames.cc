#include "runtime/frames.h"

#include <unwind.h>

#include "base/mapped.h"
#include "runtime/unwind.h"

namespace jostle {

bool registers_at(std::uint64_t pc, Registers& out) {
  out = {};
  walk_frames([&](const CallFrame& f) {
    if (out.pc != 0) {  // the one before was it, and ends where this one's stack pointer is
      out.cfa = f.sp;
      return false;
    }
    if (f.pc == pc) out = {pc, f.rbx, f.rbp, f.sp, f.r12, f.r13, f.r14, f.r15, 0};
    return true;
  });
  if (out.cfa == 0) out.pc = 0;
  return out.pc != 0;
}

const StackFrame* FrameList::find(Address a) const {
  if (count == 0 || a < at[0].sp) return nullptr;
  for (std::uint32_t i = 0; i < count; ++i)
    if (a < at[i].cfa) return &at[i];
  return nullptr;
}

void prepare_walks() {
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

void walk_stack(FrameList*& list) {
  if (!list) list = static_cast<FrameList*>(map_pages(sizeof(FrameList)));
  list->count = 0;
  walk_frames([&list](const CallFrame& frame) {
    StackFrame* const inner = list->count > 0 ? &list->at[list->count - 1] : nullptr;
    if (inner) inner->cfa = frame.sp;  // the end of its variables
    if (frame.pc == 0 || list->count == FrameList::kMost) return false;
    // Places are return addresses.
    list->at[list->count++] = {
        frame.pc + frame.interrupted, 0, frame.sp, frame.rbp, inner ? inner->pc : 0,
        inner ? inner->bp : 0};
    return true;
  });
}

}  // namespace jostle

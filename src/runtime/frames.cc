#include "runtime/frames.h"

#include <unwind.h>

#include "base/mapped.h"

namespace jostle {
namespace {

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* arg) {
  auto& list = *static_cast<FrameList*>(arg);
  int before = 0;
  const std::uint64_t pc = _Unwind_GetIPInfo(context, &before);
  // The unwinder tells the frame address of the call that this frame is in: what is the end of
  // that one's variables is this one's stack pointer.
  const Address sp = _Unwind_GetCFA(context);
  if (list.count > 0) list.at[list.count - 1].cfa = sp;
  if (pc == 0 || list.count == FrameList::kMost) return _URC_END_OF_STACK;
  StackFrame& f = list.at[list.count];
  f = {pc + static_cast<std::uint64_t>(before), 0, sp, _Unwind_GetGR(context, 6), 0, 0};
  if (list.count > 0) {
    f.callee_pc = list.at[list.count - 1].pc;
    f.callee_bp = list.at[list.count - 1].bp;
  }
  ++list.count;
  return _URC_NO_REASON;
}

}  // namespace

const StackFrame* FrameList::find(Address a) const {
  if (count == 0 || a < at[0].sp) return nullptr;
  for (std::uint32_t i = 0; i < count; ++i)
    if (a < at[i].cfa) return &at[i];
  return nullptr;
}

void walk_stack(FrameList*& list) {
  if (!list) list = static_cast<FrameList*>(map_pages(sizeof(FrameList)));
  list->count = 0;
  _Unwind_Backtrace(&add_frame, list);
}

}  // namespace jostle

#include "runtime/frames.h"

#include <unwind.h>

#include <utility>

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

_Unwind_Reason_Code find_registers(_Unwind_Context* context, void* arg) {
  auto& [wanted, r] = *static_cast<std::pair<std::uint64_t, Registers*>*>(arg);
  if (r->pc != 0) {  // the call before was it; see add_frame() for the frame address
    r->cfa = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  }
  if (_Unwind_GetIP(context) != wanted) return _URC_NO_REASON;
  const auto of = [&](int number) {
    return static_cast<std::uint64_t>(_Unwind_GetGR(context, number));
  };
  *r = {wanted, of(3), of(6), _Unwind_GetCFA(context), of(12), of(13), of(14), of(15), 0};
  return _URC_NO_REASON;
}

}  // namespace

bool registers_at(std::uint64_t pc, Registers& out) {
  out = {};
  std::pair<std::uint64_t, Registers*> search(pc, &out);
  _Unwind_Backtrace(&find_registers, &search);
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
  _Unwind_Backtrace(&add_frame, list);
}

}  // namespace jostle

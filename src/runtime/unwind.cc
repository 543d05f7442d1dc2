#include "runtime/unwind.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

#include <atomic>
#include <cstring>

#include "base/mapped.h"

// libgcc's; no header declares it.
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
extern "C" const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);

namespace jostle {
namespace {

// By their numbers in DWARF.
enum : std::uint32_t { kRbx = 3, kRbp = 6, kRsp = 7, kR12 = 12, kR15 = 15, kReturn = 16, kAll };

// Of those that matter: what functions must preserve.
constexpr std::uint32_t kKept[] = {kRbx, kRbp, kR12, 13, 14, kR15, kReturn};
constexpr std::uint32_t kKeptCount = 7;

struct Registers {
  std::uint64_t at[kAll];
};

using Bytes = const unsigned char*;

std::uint64_t uleb(Bytes& p) {
  std::uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char b = *p++;
    if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (!(b & 0x80)) return v;
  }
}
std::int64_t sleb(Bytes& p) {
  std::uint64_t v = 0;
  for (unsigned shift = 0;;) {
    const unsigned char b = *p++;
    if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    shift += 7;
    if (b & 0x80) continue;
    if ((b & 0x40) && shift < 64) v |= ~0ull << shift;
    return static_cast<std::int64_t>(v);
  }
}
template <class T>
T fixed(Bytes& p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  p += sizeof v;
  return v;
}
template <class T>
T load(Address a) {
  T v;
  std::memcpy(&v, reinterpret_cast<const void*>(a), sizeof v);
  return v;
}

// --- what .eh_frame says of a place ------------------------------------------------------------

struct Saved {
  enum How : std::uint8_t { same, at_offset, is_offset, at_expression, is_expression, undefined };
  How how;
  std::int64_t offset;  // from the frame's address
  Bytes expression;     // with its length before it
};

struct Row {
  std::uint32_t cfa_register;
  std::int64_t cfa_offset;
  Bytes cfa_expression;  // if there is one, instead
  Saved saved[kAll];
};

// A common part of several functions' tables.
struct Common {
  std::uint64_t code_factor;
  std::int64_t data_factor;
  std::uint64_t return_register;
  std::uint8_t encoding;  // of addresses
  bool has_size;          // of additional data
  bool interrupted;       // functions that return to where a signal has come
  Bytes instructions, end;
};

bool read_common(Bytes p, Common& c) {
  const auto length = fixed<std::uint32_t>(p);
  if (length == 0xffffffff) return false;
  c = {};
  c.end = p + length;
  p += 4;  // that it is a common part
  const unsigned char version = *p++;
  const char* const text = reinterpret_cast<const char*>(p);
  p += std::strlen(text) + 1;
  c.code_factor = uleb(p);
  c.data_factor = sleb(p);
  c.return_register = version == 1 ? *p++ : uleb(p);
  if (*text == 'z') {
    c.has_size = true;
    const auto size = uleb(p);
    c.instructions = p + size;
    for (const char* t = text + 1; *t; ++t) switch (*t) {
        case 'R':
          c.encoding = *p++;
          break;
        case 'P': {
          const unsigned char encoding = *p++;
          constexpr std::uint8_t kSize[] = {8, 0, 2, 4, 8, 0, 0, 0};
          if (kSize[encoding & 7] == 0) return false;
          p += kSize[encoding & 7];
          break;
        }
        case 'L':
          ++p;
          break;
        case 'S':
          c.interrupted = true;
          break;
        case 'B':
          break;
        default:
          return false;
      }
  } else if (*text != 0) {
    return false;
  } else {
    c.instructions = p;
  }
  return true;
}

class Table {
 public:
  // Follows the instructions up to those for addresses beyond `wanted`. False: one is unknown.
  bool run(const Common& c, Bytes p, Bytes end, Address& at, Address wanted) {
    while (p < end && at <= wanted) {
      const unsigned char op = *p++;
      const std::uint32_t low = op & 0x3f;
      switch (op >> 6) {
        case 1:
          at += low * c.code_factor;
          continue;
        case 2:
          if (!set(low, Saved::at_offset, static_cast<std::int64_t>(uleb(p)) * c.data_factor))
            return false;
          continue;
        case 3:
          restore(low);
          continue;
        default:
          if (!one(c, op, p, at)) return false;
      }
    }
    return true;
  }
  // What is so far is what the common part says.
  void begin() { initial_ = row; }
  Row row{};

 private:
  bool set(std::uint64_t n, Saved::How how, std::int64_t offset, Bytes expression = nullptr) {
    if (n < kAll) row.saved[n] = {how, offset, expression};
    return true;
  }
  void restore(std::uint64_t n) {
    if (n < kAll) row.saved[n] = initial_.saved[n];
  }
  static Bytes block(Bytes& p) {
    const Bytes begin = p;
    const auto size = uleb(p);
    p += size;
    return begin;
  }
  bool one(const Common& c, unsigned char op, Bytes& p, Address& at) {
    switch (op) {
      case 0x00:  // nop
        return true;
      case 0x02:  // advance_loc1, 2, 4
        at += fixed<std::uint8_t>(p) * c.code_factor;
        return true;
      case 0x03:
        at += fixed<std::uint16_t>(p) * c.code_factor;
        return true;
      case 0x04:
        at += fixed<std::uint32_t>(p) * c.code_factor;
        return true;
      case 0x05: {  // offset_extended, and with a sign
        const auto n = uleb(p);
        return set(n, Saved::at_offset, static_cast<std::int64_t>(uleb(p)) * c.data_factor);
      }
      case 0x11: {
        const auto n = uleb(p);
        return set(n, Saved::at_offset, sleb(p) * c.data_factor);
      }
      case 0x06:  // restore_extended
        restore(uleb(p));
        return true;
      case 0x07:  // undefined
        return set(uleb(p), Saved::undefined, 0);
      case 0x08:  // same_value
        return set(uleb(p), Saved::same, 0);
      case 0x0a:  // remember_state
        if (depth_ == kDepth) return false;
        remembered_[depth_++] = row;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        row = remembered_[--depth_];
        return true;
      case 0x0c:  // def_cfa, and with a factor
        row.cfa_register = static_cast<std::uint32_t>(uleb(p));
        row.cfa_offset = static_cast<std::int64_t>(uleb(p));
        row.cfa_expression = nullptr;
        return true;
      case 0x12:
        row.cfa_register = static_cast<std::uint32_t>(uleb(p));
        row.cfa_offset = sleb(p) * c.data_factor;
        row.cfa_expression = nullptr;
        return true;
      case 0x0d:  // def_cfa_register
        row.cfa_register = static_cast<std::uint32_t>(uleb(p));
        row.cfa_expression = nullptr;
        return true;
      case 0x0e:  // def_cfa_offset, and with a factor
        row.cfa_offset = static_cast<std::int64_t>(uleb(p));
        return true;
      case 0x13:
        row.cfa_offset = sleb(p) * c.data_factor;
        return true;
      case 0x0f:  // def_cfa_expression
        row.cfa_expression = block(p);
        return true;
      case 0x10: {  // expression
        const auto n = uleb(p);
        return set(n, Saved::at_expression, 0, block(p));
      }
      case 0x16: {  // val_expression
        const auto n = uleb(p);
        return set(n, Saved::is_expression, 0, block(p));
      }
      case 0x14: {  // val_offset, and with a sign
        const auto n = uleb(p);
        return set(n, Saved::is_offset, static_cast<std::int64_t>(uleb(p)) * c.data_factor);
      }
      case 0x15: {
        const auto n = uleb(p);
        return set(n, Saved::is_offset, sleb(p) * c.data_factor);
      }
      case 0x2e:  // how much the arguments take
        uleb(p);
        return true;
      default:
        return false;
    }
  }

  static constexpr std::uint32_t kDepth = 4;
  Row initial_{}, remembered_[kDepth];
  std::uint32_t depth_ = 0;
};

// As much as compilers, the linker and the C library write for x86-64.
bool evaluate(Bytes block, const Registers& r, std::uint64_t first, std::uint64_t& out) {
  constexpr std::uint32_t kDepth = 16;
  std::uint64_t stack[kDepth];
  std::uint32_t n = 0;
  stack[n++] = first;
  const auto size = uleb(block);
  for (const Bytes end = block + size; block < end;) {
    const unsigned char op = *block++;
    if (n + 1 >= kDepth) return false;
    const auto binary = [&](auto f) {
      if (n < 2) return false;
      --n;
      stack[n - 1] = f(stack[n - 1], stack[n]);
      return true;
    };
    bool good = true;
    if (op >= 0x30 && op <= 0x4f) {  // lit
      stack[n++] = op - 0x30u;
    } else if (op >= 0x70 && op <= 0x8f) {  // breg
      if (op - 0x70u >= kAll) return false;
      stack[n++] = r.at[op - 0x70] + static_cast<std::uint64_t>(sleb(block));
    } else {
      switch (op) {
        case 0x06:                              // deref
          if (stack[n - 1] == 0) return false;  // no table of a compiler's says that
          stack[n - 1] = load<std::uint64_t>(stack[n - 1]);
          break;
        case 0x08:  // const1u
          stack[n++] = fixed<std::uint8_t>(block);
          break;
        case 0x09:  // const1s
          stack[n++] = static_cast<std::uint64_t>(std::int64_t{fixed<std::int8_t>(block)});
          break;
        case 0x10:  // constu
          stack[n++] = uleb(block);
          break;
        case 0x11:  // consts
          stack[n++] = static_cast<std::uint64_t>(sleb(block));
          break;
        case 0x1a:
          good = binary([](auto a, auto b) { return a & b; });
          break;
        case 0x1c:
          good = binary([](auto a, auto b) { return a - b; });
          break;
        case 0x22:
          good = binary([](auto a, auto b) { return a + b; });
          break;
        case 0x23:  // plus_uconst
          stack[n - 1] += uleb(block);
          break;
        case 0x24:
          good = binary([](auto a, auto b) { return b < 64 ? a << b : 0; });
          break;
        case 0x2a:  // ge
          good = binary([](auto a, auto b) -> std::uint64_t {
            return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
          });
          break;
        default:
          return false;
      }
    }
    if (!good) return false;
  }
  out = stack[n - 1];
  return true;
}

// --- one step outwards ---------------------------------------------------------------------------

// What is kept of a place, in a line of the cache. Written and read by any number of threads: who
// writes takes the place away first.
struct alignas(64) Rule {
  std::atomic<std::uint64_t> place;
  std::uint64_t library;  // that it was in: another one may be loaded there
  std::int32_t cfa_offset;
  std::int32_t saved[kKeptCount];  // from the frame's address; 0: not saved
  bool by_rbp;                     // the frame's address is told by rbp, else by rsp
  bool ends;                       // the outermost frame says so itself
};
static_assert(sizeof(Rule) == 64);

constexpr std::size_t kRules = 1u << 12;

Rule* rules() {
  static std::atomic<Rule*> kept;
  Rule* all = kept.load(std::memory_order_acquire);
  if (all) return all;
  all = static_cast<Rule*>(map_pages(kRules * sizeof(Rule)));
  Rule* other = nullptr;
  if (kept.compare_exchange_strong(other, all)) return all;
  unmap_pages(all, kRules * sizeof(Rule));
  return other;
}

Rule& slot(std::uint64_t place) {
  return rules()[(place * 0x9e3779b97f4a7c15ull) >> 52 & (kRules - 1)];
}

// What is loaded there now; 0: that cannot be told, and nothing is kept.
std::uint64_t library_at(std::uint64_t place) {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(place), &found) == 0)
    return reinterpret_cast<std::uint64_t>(found.dlfo_eh_frame);
#else
  (void)place;
#endif
  return 0;
}

struct Plain {
  std::int32_t cfa_offset, saved[kKeptCount];
  bool by_rbp, ends;
};

bool recall(std::uint64_t place, std::uint64_t library, Plain& out) {
  const Rule& r = slot(place);
  if (r.place.load(std::memory_order_acquire) != place || r.library != library) return false;
  out.cfa_offset = r.cfa_offset;
  std::memcpy(out.saved, r.saved, sizeof out.saved);
  out.by_rbp = r.by_rbp;
  out.ends = r.ends;
  std::atomic_thread_fence(std::memory_order_acquire);
  return r.place.load(std::memory_order_relaxed) == place;
}

void keep(std::uint64_t place, std::uint64_t library, const Plain& plain) {
  Rule& r = slot(place);
  // Whoever finds it taken away leaves it alone: somebody else writes.
  std::uint64_t was = r.place.load(std::memory_order_relaxed);
  constexpr std::uint64_t kBeingWritten = ~0ull;
  if (was == kBeingWritten || !r.place.compare_exchange_strong(was, kBeingWritten)) return;
  r.library = library;
  r.cfa_offset = plain.cfa_offset;
  std::memcpy(r.saved, plain.saved, sizeof r.saved);
  r.by_rbp = plain.by_rbp;
  r.ends = plain.ends;
  r.place.store(place, std::memory_order_release);
}

// False: it is not as simple as that.
bool simplify(const Row& row, Plain& out) {
  if (row.cfa_expression || (row.cfa_register != kRsp && row.cfa_register != kRbp)) return false;
  const auto fits = [](std::int64_t v) { return v == static_cast<std::int32_t>(v); };
  if (!fits(row.cfa_offset)) return false;
  out.by_rbp = row.cfa_register == kRbp;
  out.cfa_offset = static_cast<std::int32_t>(row.cfa_offset);
  out.ends = row.saved[kReturn].how == Saved::undefined;
  for (std::uint32_t i = 0; i < kKeptCount; ++i) {
    const Saved& s = row.saved[kKept[i]];
    out.saved[i] = 0;
    if (s.how == Saved::same || s.how == Saved::undefined) continue;
    if (s.how != Saved::at_offset || s.offset == 0 || !fits(s.offset)) return false;
    out.saved[i] = static_cast<std::int32_t>(s.offset);
  }
  return row.saved[kRsp].how == Saved::same && (out.ends || out.saved[kKeptCount - 1] != 0);
}

struct Cursor {
  Registers r;
  bool interrupted;  // r says where it was, not where it returns to
  bool ends = false;

  // An instruction of the function that it is in: the one after a call may not be.
  std::uint64_t place() const { return r.at[kReturn] - (interrupted ? 0 : 1); }

  // False: nothing is known of what is further out.
  bool step() {
    const std::uint64_t at = place();
    const std::uint64_t library = library_at(at);
    if (Plain plain; library != 0 && recall(at, library, plain)) {
      follow(plain);
      return true;
    }
    dwarf_eh_bases bases{};
    const void* const description = _Unwind_Find_FDE(reinterpret_cast<void*>(at), &bases);
    if (!description) return out_of_signal();
    Bytes p = static_cast<Bytes>(description);
    const auto length = fixed<std::uint32_t>(p);
    if (length == 0xffffffff) return false;
    const Bytes end = p + length;
    const Bytes here = p;
    Common common;
    if (!read_common(here - fixed<std::int32_t>(p), common) || common.return_register != kReturn)
      return false;
    constexpr std::uint8_t kSize[] = {8, 0, 2, 4, 8, 0, 0, 0};
    const std::size_t size = kSize[common.encoding & 7];
    if (size == 0) return false;
    p += 2 * size;
    if (common.has_size) {
      const auto more = uleb(p);
      p += more;
    }
    Table table;
    auto from = reinterpret_cast<Address>(bases.function);
    Address before = from;
    if (!table.run(common, common.instructions, common.end, before, at)) return false;
    table.begin();
    if (!table.run(common, p, end, from, at)) return false;
    Plain plain;
    if (!common.interrupted && simplify(table.row, plain)) {
      if (library != 0) keep(at, library, plain);
      follow(plain);
      return true;
    }
    return follow(table.row, common.interrupted);
  }

 private:
  // Where a handler returns to is known by its code, if nothing else says what it is: ours, and
  // those of programs. What was interrupted lies above.
  bool out_of_signal() {
    constexpr unsigned char kRestores[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    if (interrupted ||
        std::memcmp(reinterpret_cast<const void*>(r.at[kReturn]), kRestores, sizeof kRestores) != 0)
      return false;
    const greg_t* const g = reinterpret_cast<const ucontext_t*>(r.at[kRsp])->uc_mcontext.gregs;
    const auto restore = [&](std::uint32_t n, int from) {
      r.at[n] = static_cast<std::uint64_t>(g[from]);
    };
    restore(kRbx, REG_RBX), restore(kRbp, REG_RBP), restore(kRsp, REG_RSP);
    restore(kR12, REG_R12), restore(13, REG_R13), restore(14, REG_R14), restore(kR15, REG_R15);
    restore(kReturn, REG_RIP);
    interrupted = true;
    return true;
  }
  void follow(const Plain& plain) {
    const Address cfa =
        r.at[plain.by_rbp ? kRbp : kRsp] + static_cast<Address>(std::int64_t{plain.cfa_offset});
    for (std::uint32_t i = 0; i < kKeptCount; ++i)
      if (plain.saved[i] != 0)
        r.at[kKept[i]] =
            load<std::uint64_t>(cfa + static_cast<Address>(std::int64_t{plain.saved[i]}));
    r.at[kRsp] = cfa;
    interrupted = false;
    if (plain.ends) r.at[kReturn] = 0;
  }
  bool follow(const Row& row, bool by_signal) {
    std::uint64_t cfa = 0;
    if (row.cfa_expression) {
      if (!evaluate(row.cfa_expression, r, 0, cfa)) return false;
    } else {
      if (row.cfa_register >= kAll) return false;
      cfa = r.at[row.cfa_register] + static_cast<Address>(row.cfa_offset);
    }
    Registers next = r;
    next.at[kRsp] = cfa;
    for (std::uint32_t n = 0; n < kAll; ++n) {
      const Saved& s = row.saved[n];
      const Address there = cfa + static_cast<Address>(s.offset);
      std::uint64_t value = 0;
      switch (s.how) {
        case Saved::same:
          break;
        case Saved::at_offset:
          next.at[n] = load<std::uint64_t>(there);
          break;
        case Saved::is_offset:
          next.at[n] = there;
          break;
        case Saved::at_expression:
          if (!evaluate(s.expression, r, cfa, value)) return false;
          next.at[n] = load<std::uint64_t>(value);
          break;
        case Saved::is_expression:
          if (!evaluate(s.expression, r, cfa, value)) return false;
          next.at[n] = value;
          break;
        case Saved::undefined:
          if (n == kReturn) next.at[n] = 0;
          break;
      }
    }
    r = next;
    interrupted = by_signal;
    return true;
  }
};

}  // namespace

[[gnu::noinline]] void walk_frames(bool (*take)(const CallFrame&, void*), void* argument) {
  Cursor c{};
  // This function's own, here: what it has saved already is found where the table says.
  asm volatile(
      "movq %%rbx, 24(%0)\n\t"
      "movq %%rbp, 48(%0)\n\t"
      "movq %%rsp, 56(%0)\n\t"
      "movq %%r12, 96(%0)\n\t"
      "movq %%r13, 104(%0)\n\t"
      "movq %%r14, 112(%0)\n\t"
      "movq %%r15, 120(%0)\n\t"
      "leaq 0(%%rip), %%rax\n\t"
      "movq %%rax, 128(%0)\n\t"
      :
      : "r"(c.r.at)
      : "rax", "memory");
  c.interrupted = true;
  for (;;) {
    if (!c.step()) return;
    const auto& at = c.r.at;
    const CallFrame frame{at[kReturn], c.interrupted, at[kRsp], at[kRbx], at[kRbp],
                          at[kR12],    at[13],        at[14],   at[kR15]};
    if (!take(frame, argument) || frame.pc == 0) return;
  }
}

}  // namespace jostle

#include "script/epilogue.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

namespace jostle::scripts {
namespace {

constexpr unsigned kAx = 0, kCx = 1, kDx = 2, kBx = 3, kSp = 4, kBp = 5;
constexpr int kMost = 64;  // instructions

struct Unknown {
  std::string why;
};

std::uint64_t low(std::uint64_t v, unsigned width) {
  return width == 8 ? v : v & ((1ull << (8 * width)) - 1);
}
std::uint64_t extended(std::uint64_t v, unsigned width) {
  const unsigned unused = 64 - 8 * width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(v << unused) >> unused);
}

// A number some of whose bytes are known.
struct Value {
  std::uint64_t bits = 0;
  std::uint8_t known = 0;  // a bit for each byte
  bool guard = false;      // it is what protects the stack: it is as it should be

  static Value of(std::uint64_t v) { return {v, 0xff, false}; }
  bool knows(unsigned width) const {
    const unsigned all = (1u << width) - 1;
    return (known & all) == all;
  }
};

// Enough of x86-64 for what compilers put between the last call of a function and its end.
class Follower {
 public:
  Follower(const Registers& r, const std::function<bool(Address, std::uint64_t, void*)>& read)
      : read_(read), pc_(r.pc) {
    reg_[kBx] = Value::of(r.rbx);
    reg_[kBp] = Value::of(r.rbp);
    reg_[kSp] = Value::of(r.sp);
    reg_[12] = Value::of(r.r12);
    reg_[13] = Value::of(r.r13);
    reg_[14] = Value::of(r.r14);
    reg_[15] = Value::of(r.r15);
  }

  Value go() {
    for (int i = 0; i < kMost; ++i)
      if (step()) return reg_[kAx];
    throw Unknown{"its end is too far from the hook"};
  }

 private:
  // A place: a register, or memory.
  struct Operand {
    bool memory = false, guard = false;
    unsigned reg = 0;
    Value address;
  };

  // --- bytes ------------------------------------------------------------------------------------

  template <class T>
  T fetch() {
    T v{};
    if (!read_(pc_, sizeof v, &v)) throw Unknown{"its instructions cannot be read"};
    pc_ += sizeof v;
    return v;
  }
  std::uint64_t immediate(unsigned width) {
    switch (width) {
      case 1:
        return static_cast<std::uint64_t>(std::int64_t{fetch<std::int8_t>()});
      case 2:
        return static_cast<std::uint64_t>(std::int64_t{fetch<std::int16_t>()});
      default:
        return static_cast<std::uint64_t>(std::int64_t{fetch<std::int32_t>()});
    }
  }
  [[noreturn]] void give_up() const {
    char text[80];
    std::snprintf(text, sizeof text, "the instruction at 0x%llx before its end is not known",
                  static_cast<unsigned long long>(begin_));
    throw Unknown{text};
  }

  // --- places -----------------------------------------------------------------------------------

  // The two operands of an instruction: what may be memory, and the register, which may be a part
  // of the instruction's number instead. `tail`: bytes of the instruction that come after them.
  std::pair<Operand, unsigned> operands(unsigned width, unsigned tail = 0) {
    const auto modrm = fetch<std::uint8_t>();
    const unsigned mod = modrm >> 6, rm = modrm & 7;
    const unsigned field = (modrm >> 3 & 7) | (rex_ & 4 ? 8 : 0);
    Operand o;
    if (mod == 3) {
      o.reg = rm | (rex_ & 1 ? 8 : 0);
      if (width == 1 && !rex_ && o.reg >= 4) give_up();  // ah and the like
      return {o, field};
    }
    o.memory = true;
    Value a = Value::of(0);
    const auto add = [&](const Value& v, unsigned shift) {
      a.bits += v.bits << shift;
      if (v.known != 0xff) a.known = 0;
    };
    bool relative = false, absolute = false;
    if (rm == 4) {
      const auto sib = fetch<std::uint8_t>();
      const unsigned index = (sib >> 3 & 7) | (rex_ & 2 ? 8 : 0);
      if (index != 4) add(reg_[index], sib >> 6);
      if ((sib & 7) == 5 && mod == 0)
        absolute = true;
      else
        add(reg_[(sib & 7) | (rex_ & 1 ? 8 : 0)], 0);
    } else if (rm == 5 && mod == 0) {
      relative = true;
    } else {
      add(reg_[rm | (rex_ & 1 ? 8 : 0)], 0);
    }
    if (mod == 1) a.bits += immediate(1);
    if (mod == 2 || relative || absolute) a.bits += immediate(4);
    if (relative) a.bits += pc_ + tail;
    o.guard = fs_ && a.known == 0xff && a.bits == 0x28;
    if (fs_) a.known = 0;
    o.address = a;
    return {o, field};
  }

  Value load(const Operand& o, unsigned width) {
    if (!o.memory) return reg_[o.reg];
    Value v;
    v.guard = o.guard;
    if (o.address.known != 0xff) return v;
    unsigned char bytes[8] = {};
    if (!read_(o.address.bits, width, bytes)) return v;
    for (unsigned i = 0; i < width; ++i)
      if (const auto own = stored_.find(o.address.bits + i); own != stored_.end())
        bytes[i] = own->second;
    std::memcpy(&v.bits, bytes, 8);
    v.known = static_cast<std::uint8_t>((1u << width) - 1);
    return v;
  }

  void store(const Operand& o, Value v, unsigned width) {
    if (!o.memory) return put(o.reg, v, width);
    if (o.address.known != 0xff || !v.knows(width)) give_up();
    for (unsigned i = 0; i < width; ++i)
      stored_[o.address.bits + i] = static_cast<unsigned char>(v.bits >> (8 * i));
  }

  void put(unsigned reg, Value v, unsigned width) {
    const auto part = static_cast<std::uint8_t>((1u << width) - 1);
    v.bits = low(v.bits, width);
    v.known &= part;
    if (width == 4) v.known |= 0xf0;  // the upper half becomes zero
    if (width < 4) {
      v.bits |= reg_[reg].bits & ~low(~0ull, width);
      v.known = static_cast<std::uint8_t>(v.known | (reg_[reg].known & ~part));
    }
    reg_[reg] = v;
  }

  Value pop() {
    Operand top{true, false, 0, reg_[kSp]};
    const Value v = load(top, 8);
    reg_[kSp].bits += 8;
    return v;
  }

  // --- operations -------------------------------------------------------------------------------

  void set_flags(bool known, std::uint64_t r, unsigned width, bool carry, bool overflow) {
    flags_known_ = known;
    zero_ = low(r, width) == 0;
    sign_ = r >> (8 * width - 1) & 1;
    carry_ = carry;
    overflow_ = overflow;
  }

  // By their place in the instruction set; cmp (7) is sub without a result.
  Value calculate(unsigned op, const Value& a, const Value& b, unsigned width, bool same) {
    if (a.guard || b.guard) {
      set_flags(true, 0, width, false, false);
      return {};
    }
    // x ^ x and x - x are zero whatever x is, and with a borrow as much as that.
    const bool nothing = same && (op == 3 || op == 5 || op == 6);
    const std::uint64_t x = nothing ? 0 : low(a.bits, width), y = nothing ? 0 : low(b.bits, width);
    const std::uint64_t borrowed = (op == 2 || op == 3) && carry_;
    const bool known =
        (nothing || (a.knows(width) && b.knows(width))) && ((op != 2 && op != 3) || flags_known_);
    std::uint64_t r = 0;
    bool carry = false, overflow = false;
    const unsigned top = 8 * width - 1;
    switch (op) {
      case 0:
      case 2:
        r = low(x + y + borrowed, width);
        carry = r < x || (borrowed && r == x);
        overflow = (~(x ^ y) & (x ^ r)) >> top & 1;
        break;
      case 1:
        r = x | y;
        break;
      case 4:
        r = x & y;
        break;
      case 6:
        r = x ^ y;
        break;
      default:
        r = low(x - y - borrowed, width);
        carry = x < y || (borrowed && x == y);
        overflow = ((x ^ y) & (x ^ r)) >> top & 1;
        break;
    }
    set_flags(known, r, width, carry, overflow);
    return known ? Value{r, static_cast<std::uint8_t>((1u << width) - 1), false} : Value{};
  }

  bool holds(unsigned condition) {
    if (!flags_known_)
      throw Unknown{"it depends on a comparison of something that is not known any more"};
    bool is = false;
    switch (condition >> 1) {
      case 0:
        is = overflow_;
        break;
      case 1:
        is = carry_;
        break;
      case 2:
        is = zero_;
        break;
      case 3:
        is = carry_ || zero_;
        break;
      case 4:
        is = sign_;
        break;
      case 6:
        is = sign_ != overflow_;
        break;
      case 7:
        is = zero_ || sign_ != overflow_;
        break;
      default:
        give_up();  // parity
    }
    return is != (condition & 1);
  }

  void shift(const Operand& o, unsigned which, const Value& by, unsigned width) {
    const Value v = load(o, width);
    if (!by.knows(1)) give_up();
    const unsigned n = static_cast<unsigned>(by.bits) & (width == 8 ? 63 : 31);
    flags_known_ = flags_known_ && n == 0;
    const std::uint64_t x = low(v.bits, width);
    std::uint64_t r = 0;
    if (which == 4)
      r = x << n;
    else if (which == 5)
      r = x >> n;
    else if (which == 7)
      r = static_cast<std::uint64_t>(static_cast<std::int64_t>(extended(x, width)) >> n);
    else
      give_up();
    store(o, v.knows(width) ? Value::of(r) : Value{}, width);
  }

  void multiply(unsigned to, const Value& a, const Value& b, unsigned width) {
    flags_known_ = false;
    put(to,
        a.knows(width) && b.knows(width)
            ? Value::of(extended(low(a.bits, width), width) * extended(low(b.bits, width), width))
            : Value{},
        width);
  }

  // --- one instruction: true if it was the return
  // -------------------------------------------------

  bool step() {
    begin_ = pc_;
    rex_ = 0;
    fs_ = false;
    bool word = false, repeated = false;
    std::uint8_t b = fetch<std::uint8_t>();
    for (;; b = fetch<std::uint8_t>()) {
      if (b == 0x66)
        word = true;
      else if (b == 0xf2 || b == 0xf3)
        repeated = true;
      else if (b == 0x64)
        fs_ = true;
      else if (b != 0x2e && b != 0x3e)
        break;
    }
    if (b >> 4 == 4) {
      rex_ = b;
      b = fetch<std::uint8_t>();
    }
    const unsigned whole = rex_ & 8 ? 8 : word ? 2 : 4;
    const unsigned width = b & 1 ? whole : 1;
    const unsigned in_opcode = (b & 7) | (rex_ & 1 ? 8u : 0u);
    if (b == 0x0f) return two_bytes(whole, repeated), false;
    if (b == 0xc3 || b == 0xc2) return true;
    if (repeated) give_up();
    if (b < 0x40 && (b & 7) < 6) {
      const unsigned op = b >> 3;
      if ((b & 7) >= 4) {
        const Value v = Value::of(immediate(width));
        const Value r = calculate(op, reg_[kAx], v, width, false);
        if (op != 7) put(kAx, r, width);
        return false;
      }
      const auto [o, reg] = operands(width);
      if (width == 1 && !rex_ && reg >= 4) give_up();
      const bool same = !o.memory && o.reg == reg;
      Operand to = o;
      Operand from;
      from.reg = reg;
      if (b & 2) std::swap(to, from);
      const Value r = calculate(op, load(to, width), load(from, width), width, same);
      if (op != 7) store(to, r, width);
      return false;
    }
    switch (b) {
      case 0x88:
      case 0x89: {
        const auto [o, reg] = operands(width);
        if (width == 1 && !rex_ && reg >= 4) give_up();
        store(o, reg_[reg], width);
        return false;
      }
      case 0x8a:
      case 0x8b: {
        const auto [o, reg] = operands(width);
        if (width == 1 && !rex_ && reg >= 4) give_up();
        put(reg, load(o, width), width);
        return false;
      }
      case 0x8d: {
        const auto [o, reg] = operands(whole);
        if (!o.memory) give_up();
        put(reg, o.address, whole);
        return false;
      }
      case 0x63: {
        const auto [o, reg] = operands(4);
        const Value v = load(o, 4);
        put(reg, v.knows(4) ? Value::of(extended(v.bits, 4)) : Value{}, whole);
        return false;
      }
      case 0x80:
      case 0x81:
      case 0x83: {
        const unsigned bytes = b == 0x81 ? width == 2 ? 2 : 4 : 1;
        const unsigned size = b == 0x80 ? 1 : whole;
        const auto [o, field] = operands(size, bytes);
        const Value v = Value::of(immediate(bytes));
        const Value r = calculate(field & 7, load(o, size), v, size, false);
        if ((field & 7) != 7) store(o, r, size);
        return false;
      }
      case 0x84:
      case 0x85: {
        const auto [o, reg] = operands(width);
        calculate(4, load(o, width), reg_[reg], width, false);
        return false;
      }
      case 0xa8:
      case 0xa9:
        calculate(4, reg_[kAx], Value::of(immediate(width)), width, false);
        return false;
      case 0xc6:
      case 0xc7: {
        const unsigned bytes = width == 8 ? 4 : width;
        const auto [o, field] = operands(width, bytes);
        if (field & 7) give_up();
        store(o, Value::of(immediate(bytes)), width);
        return false;
      }
      case 0xf6:
      case 0xf7:
        return negate(width), false;
      case 0xc0:
      case 0xc1:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3: {
        const bool counted = b < 0xd0;
        const auto [o, field] = operands(width, counted);
        const Value by = counted ? Value::of(immediate(1)) : b < 0xd2 ? Value::of(1) : reg_[kCx];
        shift(o, field & 7, by, width);
        return false;
      }
      case 0x69:
      case 0x6b: {
        const unsigned bytes = b == 0x6b ? 1 : whole == 2 ? 2 : 4;
        const auto [o, reg] = operands(whole, bytes);
        const Value v = load(o, whole);
        multiply(reg, v, Value::of(immediate(bytes)), whole);
        return false;
      }
      case 0x90:
        return false;
      case 0x98: {  // the lower half of the accumulator, extended
        const unsigned half = whole / 2;
        const Value v = reg_[kAx];
        put(kAx, v.knows(half) ? Value::of(extended(low(v.bits, half), half)) : Value{}, whole);
        return false;
      }
      case 0x99:
        reg_[kDx] = {};
        return false;
      case 0xc9:
        reg_[kSp] = reg_[kBp];
        reg_[kBp] = pop();
        return false;
      case 0xeb:
      case 0xe9: {
        const std::uint64_t by = immediate(b == 0xeb ? 1 : 4);
        pc_ += by;
        return false;
      }
      default:
        break;
    }
    if (b >= 0x58 && b < 0x60) {
      reg_[in_opcode] = pop();
    } else if (b >= 0xb0 && b < 0xb8) {
      if (!rex_ && in_opcode >= 4) give_up();
      put(in_opcode, Value::of(immediate(1)), 1);
    } else if (b >= 0xb8 && b < 0xc0) {
      const std::uint64_t v = whole == 8 ? fetch<std::uint64_t>() : immediate(whole);
      put(in_opcode, Value::of(v), whole);
    } else if (b >= 0x70 && b < 0x80) {
      const std::uint64_t by = immediate(1);
      if (holds(b & 15)) pc_ += by;
    } else if (b == 0xe8 || b == 0xff) {
      throw Unknown{"something else is called after the hook"};
    } else {
      give_up();
    }
    return false;
  }

  void negate(unsigned width) {
    const Address before = pc_;
    auto [o, field] = operands(width);
    switch (field & 7) {
      case 0:
      case 1: {  // test
        const unsigned bytes = width == 8 ? 4 : width;
        pc_ = before;
        const Operand again = operands(width, bytes).first;
        calculate(4, load(again, width), Value::of(immediate(bytes)), width, false);
        return;
      }
      case 2: {
        Value v = load(o, width);
        v.bits = ~v.bits;
        return store(o, v, width);
      }
      case 3:
        return store(o, calculate(5, Value::of(0), load(o, width), width, false), width);
      default:
        give_up();
    }
  }

  void two_bytes(unsigned whole, bool repeated) {
    const auto b = fetch<std::uint8_t>();
    if (b == 0x1e && repeated) {  // endbr64
      fetch<std::uint8_t>();
      return;
    }
    if (b == 0x1f) {  // nop
      operands(whole);
      return;
    }
    if (repeated) give_up();
    if (b >> 4 == 8) {
      const std::uint64_t by = immediate(4);
      if (holds(b & 15)) pc_ += by;
      return;
    }
    if (b >> 4 == 9) {
      const Operand o = operands(1).first;
      return store(o, Value::of(holds(b & 15)), 1);
    }
    if (b >> 4 == 4) {
      const auto [o, reg] = operands(whole);
      return put(reg, holds(b & 15) ? load(o, whole) : reg_[reg], whole);
    }
    if (b == 0xaf) {
      const auto [o, reg] = operands(whole);
      return multiply(reg, reg_[reg], load(o, whole), whole);
    }
    if ((b & 0xf6) != 0xb6) give_up();
    const unsigned from = b & 1 ? 2 : 1;  // movzx, movsx
    const auto [o, reg] = operands(from);
    const Value v = load(o, from);
    const std::uint64_t bits = low(v.bits, from);
    put(reg, v.knows(from) ? Value::of(b & 8 ? extended(bits, from) : bits) : Value{}, whole);
  }

  const std::function<bool(Address, std::uint64_t, void*)>& read_;
  Address pc_, begin_ = 0;
  Value reg_[16];
  std::map<Address, unsigned char> stored_;
  std::uint8_t rex_ = 0;
  bool fs_ = false;
  bool flags_known_ = false, zero_ = false, sign_ = false, carry_ = false, overflow_ = false;
};

}  // namespace

Returned follow_to_return(const Registers& registers, std::uint64_t bytes,
                          const std::function<bool(Address, std::uint64_t, void*)>& read) {
  try {
    const Value v = Follower(registers, read).go();
    if (!v.knows(static_cast<unsigned>(bytes)))
      return {"nothing says where it is when the hook before the end is called", 0};
    return {"", v.bits};
  } catch (const Unknown& u) {
    return {u.why, 0};
  }
}

}  // namespace jostle::scripts

// Data races by happens-before, exactly: FastTrack's epochs for the common case, the parts of a
// cell and the readers of a part apart where they differ, nothing ever evicted. Heap blocks that
// were freed are marked in the same cells, so that one look finds both kinds of error.
//
// What a place did is kept until something that came after it takes its room: one place stands for
// all of a thread's accesses to the same bytes between two ticks of its clock. The search that
// makes scheduling points of racing places has to learn of every one: the hooks tick after each
// access that is a point already, so that those behind it come out in the next execution.
#pragma once

#include <span>

#include "base/large_pages.h"
#include "base/mapped.h"
#include "sched/scheduler.h"
#include "sched/shared_places.h"

namespace jostle {

class RaceDetector {
 public:
  explicit RaceDetector(Scheduler& s)
      : sched_(s), splits_(1u << 20), readers_(1u << 20), found_(1024), seen_(kSeen) {
    seen_.resize(kSeen);
    constexpr std::size_t kFew = 1u << 14;
    prefer_large_pages(splits_.begin() + kFew, (splits_.capacity() - kFew) * sizeof(Split));
  }

  void begin() {
    if (++execution_ == kExecutions) execution_ = 1;
    splits_.clear();
    readers_.clear();
  }

  // Of the eight bytes of a cell.
  [[gnu::always_inline]] static std::uint8_t mask_of(Address a, std::uint32_t size) {
    return static_cast<std::uint8_t>(size == 8 ? 0xff : ((1u << size) - 1) << (a & 7));
  }

  // The fast path: true if the access is known already and needs no further look.
  static bool known(const Thread& t, const Cell& c, std::uint8_t mask, bool write) {
    if (c.write == t.epoch && (c.write_mask & mask) == mask) return true;
    return !write && c.read == t.epoch && (c.read_mask & mask) == mask;
  }

  // The next faster: everything known about these bytes happened before, and concerns exactly
  // them. True if the access has been entered. Old executions need no test of their own: what
  // they left is ordered before every clock of this one. It calls nothing, so that the hook that
  // it is part of needs no stack frame.
  [[gnu::always_inline]] bool simple(Thread& t, Cell& c, std::uint8_t mask, bool write,
                                     std::uint64_t pc) const {
    const Epoch w = c.write, r = c.read;
    if (((w | r) & kDetail) || c.object) return false;
    if (JOSTLE_UNLIKELY(c.freed) && w > sched_.base()) return false;
    if (!ordered(t, w) || !ordered(t, r)) return false;
    if ((c.read_mask & ~mask) && r > sched_.base()) return false;
    if (write) {
      if ((c.write_mask & ~mask) && w > sched_.base()) return false;
      c.write = t.epoch;
      c.write_mask = mask;
      c.write_site = static_cast<std::uint32_t>(pc);
      c.read = 0;
      c.freed = 0;
    } else {
      c.read = t.epoch;
      c.read_mask = mask;
      c.read_site = static_cast<std::uint32_t>(pc);
    }
    return true;
  }

  // A plain access of bytes that do not leave one cell, if simple() was not enough.
  void access(Thread& t, Cell& c, Address a, std::uint32_t size, bool write, std::uint64_t pc);
  // The same from its beginning.
  void enter(Thread& t, Cell& c, Address a, std::uint32_t size, bool write, std::uint64_t pc) {
    const std::uint8_t mask = mask_of(a, size);
    if (JOSTLE_UNLIKELY(collects_places())) look_for_sharing(t, c, mask, write, pc);
    if (!simple(t, c, mask, write, pc)) access(t, c, a, size, write, pc);
  }
  // The same for any range.
  void range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc);
  // An atomic access: races with plain ones only.
  void atomic(Thread& t, Address a, std::uint32_t size, bool write, std::uint64_t pc);

  // These eight bytes were, as one, in this execution.
  bool was_written(Address a) {
    const Cell* c = sched_.shadow().cell(a);
    return live(c->write) && c->write_mask == 0xff && !c->freed;
  }

  // Places that touch what other threads do are entered there; null: nobody wants to know.
  void collect_places(SharedPlaces* places) { places_ = places; }
  bool collects_places() const { return places_ != nullptr; }
  // Before the access is entered. Only the last ones of other threads are known; that others touch
  // these bytes is remembered until they are freed, also by the executions after this one.
  void look_for_sharing(const Thread& t, Cell& c, std::uint8_t mask, bool write, std::uint64_t pc);

  // Heap blocks.
  void freed(Thread& t, Address a, std::size_t size, std::uint64_t pc);
  void forget(Address a, std::size_t size);
  bool is_freed(Address a) {
    const Cell* c = sched_.shadow().cell(a);
    return c->freed && c->write > sched_.base();
  }
  [[noreturn]] void use_after_free(Thread& t, const Cell& c, Address a, std::uint32_t size,
                                   bool write, std::uint64_t pc);
  [[noreturn]] void double_free(Thread& t, Address a, std::uint64_t pc);
  // What is freed there is no block, or somebody has written over its ends.
  [[noreturn]] void invalid_free(Thread& t, Address a, std::uint64_t pc);

  // What the trace says for an address in code or data; null: the address. See events/files.h.
  std::uint64_t (*told_place)(std::uint64_t pc) = nullptr;
  Address (*told_data)(Address a) = nullptr;

  // Races between places that no earlier execution of this process reported.
  const MappedVector<Problem>& found() const { return found_; }
  // By another process of the execution.
  void add_found(const Problem& p) {
    if (!found_.full()) found_.push(p);
  }
  void forget_found() { found_.clear(); }
  void forget_all() {
    found_.clear();
    if (seen_any_) std::memset(seen_.begin(), 0, kSeen * sizeof(std::uint64_t));
    seen_any_ = false;
  }

 private:
  Place freed_at(const Cell& c, Address a) const;
  Problem& bad_free(Thread& t, Address a, std::uint64_t pc, const Place& freed);
  static constexpr Epoch kDetail = 1ull << 63;
  static constexpr std::uint32_t kExecutions = 0x7fffffff;  // that detail indices tell apart
  // Instead of the read, that the bytes were written at two places at one time: those of the read's
  // mask at the read's. Instead of the write, the same with reading and writing exchanged. Most
  // cells with more than one history are those of two fields that one function sets, or looks at.
  static constexpr Epoch kTwo = ~0ull;
  static constexpr std::size_t kSeen = 1u << 14;
  // Bytes of a cell that have their history in common.
  struct Part {
    Epoch write, read;
    std::uint32_t write_site, read_site;
    std::uint8_t mask;  // never 0; no byte is in two parts
  };
  // How many there are is in the cell (read_mask): of most there are two, and those are in one line
  // of the processor's cache.
  struct alignas(64) Split {
    Part part[8];
  };
  static constexpr std::size_t kLocal = 3;  // a cell has no more without a split
  // Those of a cell's bytes that were touched at each of two places.
  struct TwoPlaces {
    std::uint8_t mask[2] = {};  // the first is empty only if both are
    std::uint32_t site[2] = {};
    // False, and nothing has changed, if it needs a third.
    bool add(std::uint8_t bytes, std::uint32_t at);
  };
  struct Reader {
    Epoch read;
    std::uint32_t site, next;  // 1-based index of the next reader; 0 = last
  };

  // Detail indices carry the number of the execution that made them.
  Epoch detail(std::size_t index) const {
    return kDetail | (static_cast<Epoch>(execution_) << 32) | index;
  }
  bool has_detail(Epoch e) const { return e >> 32 == (kDetail >> 32 | execution_); }
  static std::uint32_t index(Epoch e) { return static_cast<std::uint32_t>(e); }

  bool live(Epoch e) const { return !(e & kDetail) && e > sched_.base(); }
  static bool ordered(const Thread& t, Epoch e) { return t.clock[thread_of(e)] >= e; }

  std::uint8_t written_bytes(const Cell& c) const { return live(c.write) ? c.write_mask : 0; }
  std::uint8_t read_bytes(const Cell& c) const {
    return has_detail(c.read) || live(c.read) ? c.read_mask : 0;
  }
  // Of a cell without a split.
  static TwoPlaces writers(const Cell& c);
  static TwoPlaces readers(const Cell& c);
  void access_attended(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                       std::uint64_t pc);
  // What is known of the cell; valid until it is touched.
  std::span<const Part> parts(const Cell& c, Part (&local)[kLocal]) const;
  // What is done to a cell without a split; false if it has to be split for that.
  bool enter_write(Thread& t, Cell& c, std::uint8_t mask, std::uint64_t pc) const;
  bool enter_read(Thread& t, Cell& c, std::uint8_t mask, std::uint64_t pc);
  bool split(Cell& c);
  void split_access(Thread& t, Cell& c, Address a, std::uint8_t mask, bool write, std::uint64_t pc);
  struct Bytes {
    Address first;
    std::uint32_t size;
  };
  static Bytes bytes(Address a, unsigned mask);
  // An access of these bytes of the cell of `a` against what is known of them.
  void check(Thread& t, const Part& p, Address a, std::uint8_t mask, EventKind kind, bool write,
             std::uint64_t pc);
  void check(Thread& t, const Cell& c, Address a, std::uint8_t mask, EventKind kind, bool write,
             std::uint64_t pc);
  void check_reads(Thread& t, Epoch read, std::uint32_t site, Bytes b, std::uint64_t pc,
                   EventKind kind);
  void add_read(Thread& t, Epoch& read, std::uint32_t& site, std::uint64_t pc);
  Epoch copy_reads(Epoch read);
  void check_atomics(Thread& t, const Cell& c, Address a, std::uint32_t size, bool write,
                     std::uint64_t pc);
  void report(Thread& t, Bytes b, EventKind kind, std::uint64_t pc, Epoch other,
              std::uint32_t other_site, EventKind other_kind);

  Scheduler& sched_;
  SharedPlaces* places_ = nullptr;
  std::uint32_t execution_ = 0;
  MappedVector<Split> splits_;
  MappedVector<Reader> readers_;
  MappedVector<Problem> found_;
  MappedVector<std::uint64_t> seen_;
  bool seen_any_ = false;
};

}  // namespace jostle

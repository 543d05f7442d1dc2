#include "analysis/race.h"

#include <bit>
#include <cstdio>
#include <string_view>

namespace jostle {

// The first run of those bytes of the cell of `a` that are in the mask.
RaceDetector::Bytes RaceDetector::bytes(Address a, unsigned mask) {
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  return {(a & ~Address{7}) + first, static_cast<std::uint32_t>(std::countr_one(mask >> first))};
}

// The last place stands for what others did to the same bytes.
bool RaceDetector::TwoPlaces::add(std::uint8_t bytes, std::uint32_t at) {
  const unsigned rest[2] = {mask[0] & ~unsigned{bytes}, mask[1] & ~unsigned{bytes}};
  const bool again = rest[1] && site[1] == at;
  const int to = again || (rest[0] && site[0] != at) ? 1 : 0;
  if (rest[to] && site[to] != at) return false;
  mask[to] = static_cast<std::uint8_t>(rest[to] | bytes);
  mask[1 - to] = static_cast<std::uint8_t>(rest[1 - to]);
  site[to] = at;
  if (!mask[0]) *this = {{mask[1], 0}, {site[1], 0}};
  return true;
}

RaceDetector::TwoPlaces RaceDetector::writers(const Cell& c) {
  if (c.read != kTwo) return {{c.write_mask, 0}, {c.write_site, 0}};
  return {{static_cast<std::uint8_t>(c.write_mask & ~c.read_mask), c.read_mask},
          {c.write_site, c.read_site}};
}

RaceDetector::TwoPlaces RaceDetector::readers(const Cell& c) {
  if (c.write != kTwo) return {{c.read_mask, 0}, {c.read_site, 0}};
  return {{static_cast<std::uint8_t>(c.read_mask & ~c.write_mask), c.write_mask},
          {c.read_site, c.write_site}};
}

// Of a part as a whole, everything that was done to it came before: no function is called for that,
// so none needs a stack frame.
void RaceDetector::access(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                          std::uint64_t pc) {
  if (has_detail(c.write) && JOSTLE_LIKELY(!c.object)) {
    const std::uint8_t mask = mask_of(a, size);
    Part* const end = splits_[index(c.write)].part + c.read_mask;
    for (Part* p = splits_[index(c.write)].part; p != end; ++p) {
      if (!(p->mask & mask)) continue;
      const bool known = p->write == t.epoch || (!write && p->read == t.epoch);
      if (known && (p->mask & mask) == mask) return;
      if (p->mask != mask || !ordered(t, p->write)) break;
      if (!write) return add_read(t, p->read, p->read_site, pc);
      // (Written as the only part, it is a cell without parts again.)
      if ((p->read & kDetail) || !ordered(t, p->read) || c.read_mask == 1) break;
      p->write = t.epoch;
      p->write_site = static_cast<std::uint32_t>(pc);
      p->read = 0;
      return;
    }
  } else if (!write && has_detail(c.read) && c.read_mask == mask_of(a, size) && !c.object &&
             !(c.write & kDetail) && ordered(t, c.write) && !c.freed) {
    return add_read(t, c.read, c.read_site, pc);  // what several read, and nobody writes any more
  }
  access_attended(t, c, a, size, write, pc);
}

void RaceDetector::access_attended(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                                   std::uint64_t pc) {
  if (JOSTLE_UNLIKELY(c.freed && live(c.write))) use_after_free(t, c, a, size, write, pc);
  if (!sched_.settings().races) return;
  if (c.object) check_atomics(t, c, a, size, write, pc);
  const std::uint8_t mask = mask_of(a, size);
  if (!has_detail(c.write)) {
    const bool after = !(c.write & kDetail) && ordered(t, c.write) &&
                       (!write || (!(c.read & kDetail) && ordered(t, c.read)));
    if (!after) check(t, c, a, mask, write ? EventKind::write : EventKind::read, write, pc);
    if (write ? enter_write(t, c, mask, pc) : enter_read(t, c, mask, pc)) return;
    if (!split(c)) return;
  }
  split_access(t, c, a, mask, write, pc);
}

bool RaceDetector::enter_write(Thread& t, Cell& c, std::uint8_t mask, std::uint64_t pc) const {
  if (read_bytes(c) & ~mask) return false;
  TwoPlaces by;
  if (written_bytes(c) & ~mask) {
    if (c.write != t.epoch) return false;
    by = writers(c);
  }
  if (!by.add(mask, static_cast<std::uint32_t>(pc))) return false;
  c.write = t.epoch;
  c.write_mask = by.mask[0] | by.mask[1];
  c.write_site = by.site[0];
  c.freed = 0;
  c.read = by.mask[1] ? kTwo : 0;
  c.read_mask = by.mask[1];
  c.read_site = by.site[1];
  return true;
}

bool RaceDetector::enter_read(Thread& t, Cell& c, std::uint8_t mask, std::uint64_t pc) {
  const std::uint8_t was_read = read_bytes(c);
  // By several threads that do not know of each other, at a place each.
  if (was_read == mask && c.write != kTwo) {
    add_read(t, c.read, c.read_site, pc);
    return true;
  }
  const std::uint8_t written = written_bytes(c);
  if (written && c.read == kTwo) return false;
  TwoPlaces by;
  if (was_read && ((was_read & ~mask) || has_detail(c.read) || !ordered(t, c.read))) {
    if (c.read != t.epoch) return false;
    by = readers(c);
  }
  if (!by.add(mask, static_cast<std::uint32_t>(pc)) || (by.mask[1] && written)) return false;
  c.read = t.epoch;
  c.read_mask = by.mask[0] | by.mask[1];
  c.read_site = by.site[0];
  if (written) return true;
  c.write = by.mask[1] ? kTwo : 0;
  c.write_mask = by.mask[1];
  c.write_site = by.site[1];
  c.freed = 0;
  return true;
}

void RaceDetector::range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc) {
  while (size > 0) {
    const std::size_t here = 8 - (a & 7);
    const auto n = static_cast<std::uint32_t>(size < here ? size : here);
    Cell& c = *sched_.shadow().cell(a);
    enter(t, c, a, n, write, pc);
    a += n;
    size -= n;
  }
}

void RaceDetector::look_for_sharing(const Thread& t, Cell& c, std::uint8_t mask, bool write,
                                    std::uint64_t pc) {
  const auto other = [&](Epoch e, std::uint32_t site) {
    if (!live(e) || thread_of(e) == t.id) return;
    places_->add((pc & ~0xffffffffull) | site);
    c.shared = 1;
  };
  Part local[kLocal];
  for (const Part& p : parts(c, local)) {
    if (!(p.mask & mask)) continue;
    other(p.write, p.write_site);
    if (!write) continue;
    if (!has_detail(p.read)) {
      other(p.read, p.read_site);
      continue;
    }
    for (std::uint32_t i = index(p.read); i != 0; i = readers_[i - 1].next)
      other(readers_[i - 1].read, readers_[i - 1].site);
  }
  // What lives there besides, atomic or a lock, is there for others.
  if (c.shared || c.object) places_->add(pc);
}

std::span<const RaceDetector::Part> RaceDetector::parts(const Cell& c,
                                                        Part (&local)[kLocal]) const {
  if (has_detail(c.write)) return {splits_[index(c.write)].part, c.read_mask};
  const std::uint8_t written = written_bytes(c), was_read = read_bytes(c);
  std::size_t count = 0;
  const auto add = [&](unsigned mask, Epoch write, std::uint32_t write_site, Epoch read,
                       std::uint32_t read_site) {
    if (mask)
      local[count++] = {write, read, write_site, read_site, static_cast<std::uint8_t>(mask)};
  };
  if (written && c.read == kTwo) {
    const TwoPlaces by = writers(c);
    for (int i = 0; i < 2; ++i) add(by.mask[i], c.write, by.site[i], 0, 0);
  } else if (was_read && c.write == kTwo) {
    const TwoPlaces by = readers(c);
    for (int i = 0; i < 2; ++i) add(by.mask[i], 0, 0, c.read, by.site[i]);
  } else {
    add(written & was_read, c.write, c.write_site, c.read, c.read_site);
    add(written & ~was_read, c.write, c.write_site, 0, 0);
    add(was_read & ~written, 0, 0, c.read, c.read_site);
  }
  return {local, count};
}

// False if there is no room: a million mixed cells in one execution keep what they have.
bool RaceDetector::split(Cell& c) {
  if (splits_.full()) return false;
  const std::size_t i = splits_.size();
  Split& s = splits_.append();
  Part local[kLocal];
  std::uint8_t count = 0;
  for (const Part& p : parts(c, local)) {
    s.part[count] = p;
    if (count > 0 && p.read == s.part[0].read) s.part[count].read = copy_reads(p.read);
    ++count;
  }
  c.write = detail(i);
  c.read = 0;
  c.write_mask = 0;
  c.read_mask = count;
  c.freed = 0;  // by an earlier execution, or what was done to it since would be an error
  return true;
}

void RaceDetector::split_access(Thread& t, Cell& c, Address a, std::uint8_t mask, bool write,
                                std::uint64_t pc) {
  Split& s = splits_[index(c.write)];
  std::uint8_t& count = c.read_mask;
  unsigned fresh = mask;
  for (std::uint32_t i = 0, n = count; i < n; ++i) {
    Part& p = s.part[i];
    const unsigned in = p.mask & mask;
    if (!in) continue;
    fresh &= ~in;
    if (in != p.mask) {
      Part& rest = s.part[count++] = p;
      rest.mask = static_cast<std::uint8_t>(p.mask & ~mask);
      rest.read = copy_reads(p.read);
      p.mask = static_cast<std::uint8_t>(in);
    }
    check(t, p, a, p.mask, write ? EventKind::write : EventKind::read, write, pc);
    if (!write) add_read(t, p.read, p.read_site, pc);
  }
  if (!write) {
    if (fresh)
      s.part[count++] = {0, t.epoch, 0, static_cast<std::uint32_t>(pc),
                         static_cast<std::uint8_t>(fresh)};
    return;
  }
  // What was written together has its history in common again.
  std::uint8_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    if (!(s.part[i].mask & mask)) s.part[kept++] = s.part[i];
  s.part[kept++] = {t.epoch, 0, static_cast<std::uint32_t>(pc), 0, mask};
  count = kept;
  if (kept > 1) return;
  c.write = t.epoch;
  c.write_mask = mask;
  c.write_site = static_cast<std::uint32_t>(pc);
}

void RaceDetector::check(Thread& t, const Part& p, Address a, std::uint8_t mask, EventKind kind,
                         bool write, std::uint64_t pc) {
  if (p.write && !ordered(t, p.write))
    report(t, bytes(a, mask), kind, pc, p.write, p.write_site, EventKind::write);
  if (write && p.read) check_reads(t, p.read, p.read_site, bytes(a, mask), pc, kind);
}

void RaceDetector::check(Thread& t, const Cell& c, Address a, std::uint8_t mask, EventKind kind,
                         bool write, std::uint64_t pc) {
  Part local[kLocal];
  for (const Part& p : parts(c, local))
    if (const auto in = static_cast<std::uint8_t>(p.mask & mask))
      check(t, p, a, in, kind, write, pc);
}

void RaceDetector::check_reads(Thread& t, Epoch read, std::uint32_t site, Bytes b, std::uint64_t pc,
                               EventKind kind) {
  if (!has_detail(read)) {
    if (live(read) && !ordered(t, read)) report(t, b, kind, pc, read, site, EventKind::read);
    return;
  }
  for (std::uint32_t i = index(read); i != 0; i = readers_[i - 1].next) {
    const Reader& r = readers_[i - 1];
    if (!ordered(t, r.read)) report(t, b, kind, pc, r.read, r.site, EventKind::read);
  }
}

void RaceDetector::add_read(Thread& t, Epoch& read, std::uint32_t& site, std::uint64_t pc) {
  const auto here = static_cast<std::uint32_t>(pc);
  if (!has_detail(read)) {
    if (!live(read) || ordered(t, read)) {
      read = t.epoch;
      site = here;
      return;
    }
    if (readers_.size() + 2 > readers_.capacity()) return;
    readers_.push({read, site, 0});
    const auto first = static_cast<std::uint32_t>(readers_.size());
    readers_.push({t.epoch, here, first});
    read = detail(readers_.size());
    return;
  }
  for (std::uint32_t i = index(read); i != 0; i = readers_[i - 1].next) {
    Reader& r = readers_[i - 1];
    if (thread_of(r.read) != t.id) continue;
    r.read = t.epoch;
    r.site = here;
    return;
  }
  if (readers_.full()) return;
  readers_.push({t.epoch, here, index(read)});
  read = detail(readers_.size());
}

// Two parts never share a list: each changes it in place.
Epoch RaceDetector::copy_reads(Epoch read) {
  if (!has_detail(read)) return read;
  std::uint32_t last = 0;
  for (std::uint32_t i = index(read); i != 0 && !readers_.full(); i = readers_[i - 1].next) {
    const Reader r = readers_[i - 1];
    readers_.push({r.read, r.site, last});
    last = static_cast<std::uint32_t>(readers_.size());
  }
  return last ? detail(last) : read;
}

void RaceDetector::check_atomics(Thread& t, const Cell& c, Address a, std::uint32_t size,
                                 bool write, std::uint64_t pc) {
  for (Object* o = sched_.objects().first_in_cell(&c, a); o;
       o = sched_.objects().next_in_cell(*o)) {
    if (o->kind != ObjectKind::atomic) continue;
    if (o->address >= a + size || a >= o->address + o->limit) continue;
    const EventKind kind = write ? EventKind::write : EventKind::read;
    for (std::uint32_t i = 0; i < o->writes.length; ++i)
      if (o->writes.at[i] > t.clock[i])
        report(t, {a, size}, kind, pc, o->writes.at[i], static_cast<std::uint32_t>(o->write_pc),
               EventKind::atomic_store);
    if (!write) continue;
    for (std::uint32_t i = 0; i < o->reads.length; ++i)
      if (o->reads.at[i] > t.clock[i])
        report(t, {a, size}, kind, pc, o->reads.at[i], static_cast<std::uint32_t>(o->read_pc),
               EventKind::atomic_load);
  }
}

void RaceDetector::atomic(Thread& t, Address a, std::uint32_t size, bool write, std::uint64_t pc) {
  for (std::uint32_t done = 0; done < size;) {
    Cell& c = *sched_.shadow().cell(a);
    const std::uint32_t room = 8 - (a & 7);
    const std::uint32_t n = size - done < room ? size - done : room;
    if (JOSTLE_UNLIKELY(c.freed && live(c.write))) use_after_free(t, c, a, n, write, pc);
    if (sched_.settings().races)
      check(t, c, a, mask_of(a, n), write ? EventKind::atomic_store : EventKind::atomic_load, write,
            pc);
    done += n;
    a += n;
  }
}

void RaceDetector::freed(Thread& t, Address a, std::size_t size, std::uint64_t pc) {
  sched_.shadow().each_cell(a, size, [&](Cell& c, Address at) {
    // Freeing is a write to all of it. Mostly everything that was done to it came before.
    const bool before =
        !((c.write | c.read) & kDetail) && ordered(t, c.write) && ordered(t, c.read);
    if (JOSTLE_UNLIKELY(!before || c.object) && sched_.settings().races)
      enter(t, c, at, 8, true, pc);
    c.write = t.epoch;
    c.write_mask = 0xff;
    c.write_site = static_cast<std::uint32_t>(pc);
    c.read = 0;
    c.object = 0;
    c.shared = 0;
    c.freed = 1;
  });
}

void RaceDetector::forget(Address a, std::size_t size) {
  sched_.shadow().each_cell(a, size, [](Cell& c, Address) {
    c.write = c.read = 0;
    c.freed = 0;
    c.object = 0;
  });
}

// Where the block was freed that `a` lies in: the cell knows half of the place, and no stack.
Place RaceDetector::freed_at(const Cell& c, Address a) const {
  Place p{thread_of(c.write), EventKind::free, c.write_site, 0};
  if (!sched_.recording()) return p;
  Recorder& r = *sched_.recorder();
  Address block = 0;
  for (std::uint32_t i = r.event_count(); i > 0; --i) {
    const Event& e = r.event_at(i - 1);
    if (e.kind != EventKind::free || e.thread != p.thread || e.address > a || e.address <= block)
      continue;
    block = e.address;
    p.pc = e.pc;
    p.event = i;
  }
  return p;
}

void RaceDetector::use_after_free(Thread& t, const Cell& c, Address a, std::uint32_t size,
                                  bool write, std::uint64_t pc) {
  const EventKind kind = write ? EventKind::write : EventKind::read;
  const Place freed = freed_at(c, a);
  sched_.mark(t, kind, a, pc);
  Problem& p = sched_.problem();
  p = {};
  p.kind = FindingKind::heap;
  p.address = a;
  p.size = size;
  p.place = {t.id, kind, pc, sched_.recording() ? sched_.recorder()->event_count() : 0};
  p.other = freed;
  std::snprintf(p.message, sizeof p.message, "thread T%u %s memory that thread T%u has freed", t.id,
                write ? "writes to" : "reads", thread_of(c.write));
  sched_.fail(t, p);
}

void RaceDetector::double_free(Thread& t, Address a, std::uint64_t pc) {
  const Cell& c = *sched_.shadow().cell(a);
  Problem& p = bad_free(t, a, pc, freed_at(c, a));
  std::snprintf(p.message, sizeof p.message,
                "thread T%u frees memory that thread T%u has freed already", t.id,
                thread_of(c.write));
  sched_.fail(t, p);
}

void RaceDetector::invalid_free(Thread& t, Address a, std::uint64_t pc) {
  Problem& p = bad_free(t, a, pc, {});
  std::snprintf(p.message, sizeof p.message,
                "thread T%u frees what is no block of the heap, or has been written over at its "
                "ends",
                t.id);
  sched_.fail(t, p);
}

Problem& RaceDetector::bad_free(Thread& t, Address a, std::uint64_t pc, const Place& freed) {
  sched_.mark(t, EventKind::free, a, pc);
  Problem& p = sched_.problem();
  p = {};
  p.kind = FindingKind::heap;
  p.address = a;
  p.place = {t.id, EventKind::free, pc, sched_.recording() ? sched_.recorder()->event_count() : 0};
  p.other = freed;
  return p;
}

void RaceDetector::report(Thread& t, Bytes b, EventKind kind, std::uint64_t pc, Epoch other,
                          std::uint32_t other_site, EventKind other_kind) {
  constexpr Address kNowhere = 4096;  // a null pointer, more or less: the access is about to fail
  if (b.first < kNowhere) return;
  const auto here = static_cast<std::uint32_t>(pc);
  const std::uint64_t lo = here < other_site ? here : other_site;
  const std::uint64_t hi = here < other_site ? other_site : here;
  const std::uint64_t key = combine64(lo << 32 | hi, 1) | 1;
  std::size_t i = key & (kSeen - 1);
  for (std::size_t n = 0; n < kSeen && seen_[i] != 0; ++n, i = (i + 1) & (kSeen - 1))
    if (seen_[i] == key) return;
  if (found_.full()) return;
  seen_[i] = key;
  seen_any_ = true;
  Problem& p = found_.append();
  p = {};
  p.kind = FindingKind::race;
  p.address = b.first;
  p.size = b.size;
  p.place = {t.id, kind, pc, 0};
  p.other = {thread_of(other), other_kind, other_site, 0};
  const std::string_view one = text_of(kind), two = text_of(other_kind);
  std::snprintf(p.message, sizeof p.message, "%.*s by T%u and %.*s by T%u are not ordered",
                static_cast<int>(one.size()), one.data(), t.id, static_cast<int>(two.size()),
                two.data(), thread_of(other));
  if (Recorder* r = sched_.recorder()) {
    // The access that comes second is the last event, if it was recorded at all.
    p.place.event = r->event_count();
    const auto is_it = [&b](const Event& e, std::uint32_t site, Address at) {
      const Address end = e.address + (e.size ? e.size : 1);
      return static_cast<std::uint32_t>(e.pc) == site && e.address < at + b.size && at < end;
    };
    // As the trace has it, if the process has handed on its turn since.
    const auto site = static_cast<std::uint32_t>(
        told_place ? told_place((pc & ~0xffffffffull) | other_site) : other_site);
    const Address at = told_data ? told_data(b.first) : b.first;
    for (std::uint32_t k = r->event_count(); k-- > 0;) {
      const Event& e = r->event_at(k);
      if (e.thread != p.other.thread || e.address == 0) continue;
      if (is_it(e, other_site, b.first) || is_it(e, site, at)) {
        p.other.event = k + 1;
        p.other.pc = e.pc;
        break;
      }
    }
    if (Problem* out = r->race()) *out = p;
  }
}

}  // namespace jostle

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

void RaceDetector::access(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                          std::uint64_t pc) {
  if (JOSTLE_UNLIKELY(c.freed && live(c.write))) use_after_free(t, c, a, size, write, pc);
  if (!sched_.settings().races) return;
  if (c.object) check_atomics(t, c, a, size, write, pc);
  const auto mask = static_cast<std::uint8_t>(((1u << size) - 1) << (a & 7));
  if (has_detail(c.write)) return split_access(t, c, a, mask, write, pc);
  const auto site = static_cast<std::uint32_t>(pc);
  const std::uint8_t written = live(c.write) ? c.write_mask : 0;
  const std::uint8_t was_read = has_detail(c.read) || live(c.read) ? c.read_mask : 0;
  // Another place, or another time: the cell has one history no more.
  bool one;
  if (write)
    one =
        !(was_read & ~mask) && (!(written & ~mask) || (c.write == t.epoch && c.write_site == site));
  else
    one = !was_read || was_read == mask || (c.read == t.epoch && c.read_site == site) ||
          (!(was_read & ~mask) && !has_detail(c.read) && ordered(t, c.read));
  if (!one && split(c)) return split_access(t, c, a, mask, write, pc);
  if ((written & mask) && !ordered(t, c.write))
    report(t, bytes(a, written & mask), write ? EventKind::write : EventKind::read, pc, c.write,
           c.write_site, EventKind::write);
  if (write) {
    if (was_read & mask)
      check_reads(t, c.read, c.read_site, bytes(a, was_read & mask), pc, EventKind::write);
    c.write_mask = c.write == t.epoch ? static_cast<std::uint8_t>(c.write_mask | mask) : mask;
    c.write = t.epoch;
    c.write_site = site;
    c.freed = 0;
    c.read = 0;
    return;
  }
  c.read_mask = c.read == t.epoch ? static_cast<std::uint8_t>(c.read_mask | mask) : mask;
  add_read(t, c.read, c.read_site, pc);
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
  const auto others = [&](Epoch written, std::uint32_t writer, Epoch read, std::uint32_t reader) {
    other(written, writer);
    if (!write) return;
    if (!has_detail(read)) return other(read, reader);
    for (std::uint32_t i = index(read); i != 0; i = readers_[i - 1].next)
      other(readers_[i - 1].read, readers_[i - 1].site);
  };
  if (!has_detail(c.write)) {
    others(c.write, c.write_site, c.read, c.read_site);
  } else {
    const Split& s = splits_[index(c.write)];
    for (std::uint32_t i = 0; i < c.read_mask; ++i)
      if (const Part& p = s.part[i]; p.mask & mask)
        others(p.write, p.write_site, p.read, p.read_site);
  }
  // What lives there besides, atomic or a lock, is there for others.
  if (c.shared || c.object) places_->add(pc);
}

// False if there is no room: a million mixed cells in one execution keep the coarse view.
bool RaceDetector::split(Cell& c) {
  if (splits_.full()) return false;
  const std::size_t i = splits_.size();
  Split& s = splits_.append();
  std::uint8_t count = 0;
  const unsigned written = live(c.write) ? c.write_mask : 0;
  const unsigned was_read = has_detail(c.read) || live(c.read) ? c.read_mask : 0;
  const auto add = [&](unsigned mask, Epoch write, Epoch read) {
    if (mask)
      s.part[count++] = {write, read, c.write_site, c.read_site, static_cast<std::uint8_t>(mask)};
  };
  add(written & was_read, c.write, c.read);
  add(written & ~was_read, c.write, 0);
  add(was_read & ~written, 0, written & was_read ? copy_reads(c.read) : c.read);
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
  unsigned fresh = mask;
  std::uint8_t& count = c.read_mask;
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
    part_access(t, p, a, write, pc);
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

void RaceDetector::part_access(Thread& t, Part& p, Address a, bool write, std::uint64_t pc) {
  if (p.write && !ordered(t, p.write))
    report(t, bytes(a, p.mask), write ? EventKind::write : EventKind::read, pc, p.write,
           p.write_site, EventKind::write);
  if (!write)
    add_read(t, p.read, p.read_site, pc);
  else if (p.read)
    check_reads(t, p.read, p.read_site, bytes(a, p.mask), pc, EventKind::write);
}

void RaceDetector::check_reads(Thread& t, Epoch& read, std::uint32_t site, Bytes b,
                               std::uint64_t pc, EventKind kind) {
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
    if (sched_.settings().races) {
      const EventKind kind = write ? EventKind::atomic_store : EventKind::atomic_load;
      const std::uint8_t mask = mask_of(a, n);
      if (has_detail(c.write)) {
        Split& s = splits_[index(c.write)];
        for (std::uint32_t i = 0; i < c.read_mask; ++i) {
          Part& p = s.part[i];
          if (!(p.mask & mask)) continue;
          if (p.write && !ordered(t, p.write))
            report(t, bytes(a, p.mask & mask), kind, pc, p.write, p.write_site, EventKind::write);
          if (write && p.read)
            check_reads(t, p.read, p.read_site, bytes(a, p.mask & mask), pc, kind);
        }
      } else {
        if (live(c.write) && (c.write_mask & mask) && !ordered(t, c.write))
          report(t, bytes(a, c.write_mask & mask), kind, pc, c.write, c.write_site,
                 EventKind::write);
        if (write && c.read && (c.read_mask & mask))
          check_reads(t, c.read, c.read_site, bytes(a, c.read_mask & mask), pc, kind);
      }
    }
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
  const Place freed = freed_at(c, a);
  sched_.mark(t, EventKind::free, a, pc);
  Problem& p = sched_.problem();
  p = {};
  p.kind = FindingKind::heap;
  p.address = a;
  p.place = {t.id, EventKind::free, pc, sched_.recording() ? sched_.recorder()->event_count() : 0};
  p.other = freed;
  std::snprintf(p.message, sizeof p.message,
                "thread T%u frees memory that thread T%u has freed already", t.id,
                thread_of(c.write));
  sched_.fail(t, p);
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

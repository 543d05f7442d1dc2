#include "analysis/race.h"

#include <cstdio>
#include <string_view>

namespace jostle {

void RaceDetector::access(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                          std::uint64_t pc) {
  if (JOSTLE_UNLIKELY(c.freed && live(c.write))) use_after_free(t, c, a, size, write, pc);
  if (!sched_.settings().races) return;
  const auto mask = static_cast<std::uint8_t>(((1u << size) - 1) << (a & 7));
  if (JOSTLE_UNLIKELY(has_detail(c.write))) {
    Split& s = splits_[index(c.write)];
    for (std::uint32_t i = 0; i < size; ++i) byte(t, s.byte[(a & 7) + i], a + i, write, pc);
    if (c.object) check_atomics(t, c, a, size, write, pc);
    return;
  }
  const bool wrote = live(c.write);
  const bool was_read = has_detail(c.read) || live(c.read);
  // Bytes with different histories in one cell: remember them apart.
  if ((wrote && c.write_mask != mask && c.write != t.epoch) ||
      (was_read && c.read_mask != mask && c.read != t.epoch)) {
    split(t, c);
    access(t, c, a, size, write, pc);
    return;
  }
  if (c.object) check_atomics(t, c, a, size, write, pc);
  const auto site = static_cast<std::uint32_t>(pc);
  if (wrote && !ordered(t, c.write) && (c.write_mask & mask))
    report(t, a, size, write ? EventKind::write : EventKind::read, pc, c.write, c.write_site,
           EventKind::write);
  if (write) {
    if (was_read && (c.read_mask & mask))
      check_reads(t, c.read, c.read_site, a, size, pc, EventKind::write);
    c.write_mask = c.write == t.epoch ? static_cast<std::uint8_t>(c.write_mask | mask) : mask;
    c.write = t.epoch;
    c.write_site = site;
    c.freed = 0;
    if (was_read && c.read_mask != mask && c.read == t.epoch) return;  // own wider read stays
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
    access(t, *sched_.shadow().cell(a), a, n, write, pc);
    a += n;
    size -= n;
  }
}

void RaceDetector::split(Thread&, Cell& c) {
  if (splits_.full()) return;  // a million mixed cells in one execution: keep the coarse view
  const std::size_t i = splits_.size();
  Split& s = splits_.append();
  for (std::uint32_t k = 0; k < 8; ++k) {
    const bool w = live(c.write) && (c.write_mask >> k & 1);
    const bool r = (live(c.read) || has_detail(c.read)) && (c.read_mask >> k & 1);
    s.byte[k] = {w ? c.write : 0, r ? c.read : 0, c.write_site, c.read_site};
  }
  c.write = detail(i);
  c.read = 0;
  c.write_mask = c.read_mask = 0;
}

void RaceDetector::byte(Thread& t, Byte& b, Address a, bool write, std::uint64_t pc) {
  if (b.write && !ordered(t, b.write))
    report(t, a, 1, write ? EventKind::write : EventKind::read, pc, b.write, b.write_site,
           EventKind::write);
  if (write) {
    if (b.read) check_reads(t, b.read, b.read_site, a, 1, pc, EventKind::write);
    b = {t.epoch, 0, static_cast<std::uint32_t>(pc), 0};
    return;
  }
  add_read(t, b.read, b.read_site, pc);
}

void RaceDetector::check_reads(Thread& t, Epoch& read, std::uint32_t site, Address a,
                               std::uint32_t size, std::uint64_t pc, EventKind kind) {
  if (!has_detail(read)) {
    if (live(read) && !ordered(t, read)) report(t, a, size, kind, pc, read, site, EventKind::read);
    return;
  }
  for (std::uint32_t i = index(read); i != 0; i = readers_[i - 1].next) {
    const Reader& r = readers_[i - 1];
    if (!ordered(t, r.read)) report(t, a, size, kind, pc, r.read, r.site, EventKind::read);
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

void RaceDetector::check_atomics(Thread& t, const Cell& c, Address a, std::uint32_t size,
                                 bool write, std::uint64_t pc) {
  for (Object* o = sched_.objects().first_in_cell(&c, a); o;
       o = sched_.objects().next_in_cell(*o)) {
    if (o->kind != ObjectKind::atomic) continue;
    if (o->address >= a + size || a >= o->address + o->limit) continue;
    const EventKind kind = write ? EventKind::write : EventKind::read;
    for (std::uint32_t i = 0; i < o->writes.length; ++i)
      if (o->writes.at[i] > t.clock[i])
        report(t, a, size, kind, pc, o->writes.at[i], static_cast<std::uint32_t>(o->write_pc),
               EventKind::atomic_store);
    if (!write) continue;
    for (std::uint32_t i = 0; i < o->reads.length; ++i)
      if (o->reads.at[i] > t.clock[i])
        report(t, a, size, kind, pc, o->reads.at[i], static_cast<std::uint32_t>(o->read_pc),
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
      if (has_detail(c.write)) {
        Split& s = splits_[index(c.write)];
        for (std::uint32_t i = 0; i < n; ++i) {
          Byte& b = s.byte[(a & 7) + i];
          if (b.write && !ordered(t, b.write))
            report(t, a, n, kind, pc, b.write, b.write_site, EventKind::write);
          if (write && b.read) check_reads(t, b.read, b.read_site, a, n, pc, kind);
        }
      } else {
        const auto mask = static_cast<std::uint8_t>(((1u << n) - 1) << (a & 7));
        if (live(c.write) && (c.write_mask & mask) && !ordered(t, c.write))
          report(t, a, n, kind, pc, c.write, c.write_site, EventKind::write);
        if (write && c.read && (c.read_mask & mask))
          check_reads(t, c.read, c.read_site, a, n, pc, kind);
      }
    }
    done += n;
    a += n;
  }
}

void RaceDetector::freed(Thread& t, Address a, std::size_t size, std::uint64_t pc) {
  for (std::size_t at = 0; at < size; at += 8) {
    Cell& c = *sched_.shadow().cell(a + at);
    // Freeing is a write to all of it. Mostly everything that was done to it came before.
    const bool before =
        !((c.write | c.read) & kDetail) && ordered(t, c.write) && ordered(t, c.read);
    if (JOSTLE_UNLIKELY(!before || c.object) && sched_.settings().races)
      access(t, c, a + at, 8, true, pc);
    c.write = t.epoch;
    c.write_mask = 0xff;
    c.write_site = static_cast<std::uint32_t>(pc);
    c.read = 0;
    c.object = 0;
    c.freed = 1;
  }
}

void RaceDetector::forget(Address a, std::size_t size) {
  for (std::size_t at = 0; at < size; at += 8) {
    Cell& c = *sched_.shadow().cell(a + at);
    c.write = c.read = 0;
    c.freed = 0;
    c.object = 0;
  }
}

void RaceDetector::use_after_free(Thread& t, const Cell& c, Address a, std::uint32_t size,
                                  bool write, std::uint64_t pc) {
  const EventKind kind = write ? EventKind::write : EventKind::read;
  sched_.mark(t, kind, a, pc);
  Problem& p = sched_.problem();
  p = {};
  p.kind = FindingKind::heap;
  p.address = a;
  p.size = size;
  p.place = {t.id, kind, pc, sched_.recording() ? sched_.recorder()->event_count() : 0};
  p.other = {thread_of(c.write), EventKind::free, c.write_site, 0};
  std::snprintf(p.message, sizeof p.message, "thread T%u %s memory that thread T%u has freed", t.id,
                write ? "writes to" : "reads", thread_of(c.write));
  sched_.fail(t, p);
}

void RaceDetector::double_free(Thread& t, Address a, std::uint64_t pc) {
  const Cell& c = *sched_.shadow().cell(a);
  sched_.mark(t, EventKind::free, a, pc);
  Problem& p = sched_.problem();
  p = {};
  p.kind = FindingKind::heap;
  p.address = a;
  p.place = {t.id, EventKind::free, pc, sched_.recording() ? sched_.recorder()->event_count() : 0};
  p.other = {thread_of(c.write), EventKind::free, c.write_site, 0};
  std::snprintf(p.message, sizeof p.message,
                "thread T%u frees memory that thread T%u has freed already", t.id,
                thread_of(c.write));
  sched_.fail(t, p);
}

void RaceDetector::report(Thread& t, Address a, std::uint32_t size, EventKind kind,
                          std::uint64_t pc, Epoch other, std::uint32_t other_site,
                          EventKind other_kind) {
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
  p.address = a;
  p.size = size;
  p.place = {t.id, kind, pc, 0};
  p.other = {thread_of(other), other_kind, other_site, 0};
  const std::string_view one = text_of(kind), two = text_of(other_kind);
  std::snprintf(p.message, sizeof p.message, "%.*s by T%u and %.*s by T%u are not ordered",
                static_cast<int>(one.size()), one.data(), t.id, static_cast<int>(two.size()),
                two.data(), thread_of(other));
  if (Recorder* r = sched_.recorder()) {
    // The access that comes second is the last event, if it was recorded at all.
    p.place.event = r->event_count();
    for (std::uint32_t k = r->event_count(); k-- > 0;) {
      const Event& e = r->event_at(k);
      if (e.thread != p.other.thread || e.address == 0) continue;
      const Address end = e.address + (e.size ? e.size : 1);
      if (static_cast<std::uint32_t>(e.pc) == other_site && e.address < a + size && a < end) {
        p.other.event = k + 1;
        p.other.pc = e.pc;
        break;
      }
    }
    if (Problem* out = r->race()) *out = p;
  }
}

}  // namespace jostle

#include "explore/measure.h"

#include <algorithm>
#include <unordered_set>

#include "explore/coverage_text.h"
#include "runtime/engine.h"

namespace jostle::explore {

void CoverageTable::add(const covering::Item& item, std::uint64_t execution) {
  const std::uint64_t hash = item.hash() | 1;
  for (std::uint32_t probe = 0; probe < kSlots; ++probe) {
    Slot& s = slot[(hash + probe) & (kSlots - 1)];
    std::uint64_t free = 0;
    if (__atomic_compare_exchange_n(&s.hash, &free, hash, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      s.item = item;
      __atomic_store_n(&s.first, execution + 1, __ATOMIC_RELEASE);
      __atomic_fetch_add(&s.hits, 1, __ATOMIC_RELAXED);
      if (__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) > kSlots / 2) full = true;
      return;
    }
    if (free != hash) continue;
    // 64 bits of hash: two items that share them are taken for one.
    __atomic_fetch_add(&s.hits, 1, __ATOMIC_RELAXED);
    std::uint64_t first = __atomic_load_n(&s.first, __ATOMIC_ACQUIRE);
    while ((first == 0 || execution + 1 < first) &&
           !__atomic_compare_exchange_n(&s.first, &first, execution + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
    return;
  }
  full = true;
}

void CoverageTable::exchange(SharedPlaces& own) {
  const std::uint32_t before =
      std::min(__atomic_load_n(&place_count, __ATOMIC_ACQUIRE), SharedPlaces::kMost);
  std::unordered_set<std::uint64_t> known;
  for (std::uint32_t i = 0; i < before; ++i)
    known.insert(__atomic_load_n(&place[i], __ATOMIC_ACQUIRE));
  for (std::uint32_t i = 0; i < own.count; ++i) {
    if (known.contains(own.pc[i])) continue;
    // Two processes may enter the same one: it is only there twice then.
    const std::uint32_t at = __atomic_fetch_add(&place_count, 1, __ATOMIC_ACQ_REL);
    if (at >= SharedPlaces::kMost) break;
    __atomic_store_n(&place[at], own.pc[i], __ATOMIC_RELEASE);
  }
  for (const std::uint64_t pc : known)
    if (pc != 0) own.add(pc);
}

CoverageTable* make_coverage_table() {
  return static_cast<CoverageTable*>(map_pages(sizeof(CoverageTable), true));
}

void drop_coverage_table(CoverageTable* table) { unmap_pages(table, sizeof(CoverageTable)); }

namespace {

AccessLog& own_log() {
  static AccessLog& log = *static_cast<AccessLog*>(map_pages(sizeof(AccessLog)));
  return log;
}

SharedPlaces& own_places() {
  static SharedPlaces& places = *static_cast<SharedPlaces*>(map_pages(sizeof(SharedPlaces)));
  return places;
}

// What is shared is told by the race detector.
bool selective(const Session& session) {
  return session.coverage->too_long && session.settings.races;
}

void log_accesses(const Session& session) {
  if (selective(session)) session.coverage->exchange(own_places());
  engine().log_accesses(&own_log(), selective(session) ? &own_places() : nullptr);
}

}  // namespace

void start_measuring(const Session& session) {
  if (!session.coverage) return;
  own_places().begin();
  log_accesses(session);
}

void measure(const Session& session, std::uint64_t execution) {
  const AccessLog& log = own_log();
  const covering::Execution e(log);
  covering::Items items;
  const Options& o = session.options;
  if (o.metric != Options::Metric::pairs) covering::observe_iroots(e, o.window, items);
  if (o.metric != Options::Metric::iroots) covering::observe_pairs(e, items);
  CoverageTable& table = *session.coverage;
  for (const covering::Item& i : items)
    if (!table.full) table.add(i, execution);
  if (log.truncated) (engine().logs_all() ? table.too_long : table.truncated) = true;
  if (table.too_long) log_accesses(session);
}

void measure(const Session& session) {
  measure(session, __atomic_fetch_add(&session.coverage->executions, 1, __ATOMIC_RELAXED));
}

void note_long_executions(bool too_long, bool selective, Result& result) {
  if (too_long)
    result.notes.emplace_back(
        selective ? "coverage: executions are long; memory accesses count where other threads were "
                    "seen to touch the same memory"
                  : "coverage: executions were too long to be looked at to their end");
}

void report_measured(const Session& session, std::uint64_t end, Result& result) {
  const CoverageTable& table = *session.coverage;
  report::Symbols symbols;
  CoverageText text(symbols);
  Coverage& c = result.coverage;
  c.measured = true;
  for (const CoverageTable::Slot& s : table.slot) {
    if (s.first == 0 || s.first > end) continue;
    CoverageItem item = text.item(s.item);
    item.exposed = true;
    item.execution = s.first;
    item.hits = s.hits;
    c.items.push_back(std::move(item));
  }
  if (table.full)
    result.notes.emplace_back("coverage: there were more items than there is room for");
  note_long_executions(table.too_long, selective(session) && !table.truncated, result);
  conclude_coverage(result, std::max(result.executions, table.executions));
}

}  // namespace jostle::explore

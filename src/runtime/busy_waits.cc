#include "runtime/busy_waits.h"

#include <link.h>

#include "runtime/engine.h"
#include "runtime/start_point.h"

namespace jostle::busy_waits {
namespace {

constexpr std::uint32_t kPlaces = 64;
constexpr std::uint64_t kNear = 512;  // bytes of code that are one loop
constexpr double kSoon = 0.02;        // seconds
std::uint64_t g_places[kPlaces];
std::uint32_t g_count = 0;

bool known(std::uint64_t pc) {
  for (std::uint32_t i = 0; i < g_count; ++i)
    if (pc - g_places[i] + kNear < 2 * kNear) return true;
  return false;
}

struct Range {
  std::uint64_t begin, end;
};
// Code of this library: whoever is there will step soon.
const Range& own_code() {
  static const Range range = [] {
    Range r{0, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
          const auto here = reinterpret_cast<std::uint64_t>(&known);
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& p = info->dlpi_phdr[i];
            const std::uint64_t begin = info->dlpi_addr + p.p_vaddr, end = begin + p.p_memsz;
            if (p.p_type != PT_LOAD || here < begin || here >= end) continue;
            *static_cast<Range*>(out) = {begin, end};
            return 1;
          }
          return 0;
        },
        &r);
    return r;
  }();
  return range;
}

}  // namespace

void interrupted(Thread& t, std::uint64_t pc, double seconds, double limit) {
  Scheduler& s = *t.scheduler;
  if (!start_carrier() || t.sealed != 0 || limit <= 0) return;
  if (is_own_code(pc)) return;
  if (seconds < (known(pc) ? kSoon : limit / 2)) return;
  bool others = false;
  for (std::uint32_t i = 0; i < s.thread_count(); ++i)
    others |= i != t.id && s.enabled(s.thread(static_cast<ThreadId>(i)));
  if (!others) return;
  if (!known(pc) && g_count < kPlaces) g_places[g_count++] = pc;
  engine().uncontrolled("a loop without any step: others were let go on by real time", pc);
  const Doing doing = t;  // whatever was announced last
  s.announce(t, EventKind::yield, 0, pc + 1);
  s.forced_point(t);
  static_cast<Doing&>(t) = doing;
}

bool is_own_code(std::uint64_t pc) {
  const Range& own = own_code();
  return pc >= own.begin && pc < own.end;
}
bool seen() { return g_count > 0; }
void forget() {
  own_code();  // not for the first time in a handler of a signal
}

}  // namespace jostle::busy_waits

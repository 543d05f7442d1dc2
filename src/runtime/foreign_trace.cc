#include "runtime/foreign_trace.h"

#include <link.h>
#include <unistd.h>

#include <climits>

#include "base/mapped.h"
#include "events/files.h"

namespace jostle::foreign_trace {
namespace {

struct Segment {
  Address begin, end, base;
  std::uint64_t number;  // of its file
};
constexpr std::uint32_t kSegments = 1024;
Segment* g_segments = nullptr;
std::uint32_t g_count = 0;
std::uint64_t g_objects = 0;  // that were ever loaded, when it was looked last
std::uint64_t g_process = 0;
std::size_t g_events = 0, g_blocked = 0, g_races = 0;

int add_object(dl_phdr_info* info, std::size_t, void*) {
  char path[PATH_MAX];
  const char* name = info->dlpi_name;
  if (!name || !*name) {
    if (g_count > 0) return 0;  // the kernel's own
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    name = path;
  }
  const std::uint64_t number = g_foreign_files->number_of(name);
  if (number == 0) return 0;
  for (int i = 0; i < info->dlpi_phnum && g_count < kSegments; ++i) {
    const auto& s = info->dlpi_phdr[i];
    const Address begin = info->dlpi_addr + s.p_vaddr;
    if (s.p_type == PT_LOAD)
      g_segments[g_count++] = {begin, begin + s.p_memsz, info->dlpi_addr, number};
  }
  return 0;
}

const Segment* find(Address a) {
  for (std::uint32_t i = 0; i < g_count; ++i)
    if (a >= g_segments[i].begin && a < g_segments[i].end) return &g_segments[i];
  return nullptr;
}

// It may have loaded others meanwhile.
void look_again() {
  std::uint64_t now = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<std::uint64_t*>(out) = info->dlpi_adds;
        return 1;
      },
      &now);
  if (now == g_objects) return;
  g_objects = now;
  g_count = 0;
  dl_iterate_phdr(&add_object, nullptr);
}

// 0: it lies in none.
Address in_file(Address a) {
  if (!is_on() || a == 0 || a >> ForeignFiles::kShift != 0) return 0;
  const Segment* s = find(a);
  if (!s) {
    look_again();
    s = find(a);
  }
  return s ? s->number << ForeignFiles::kShift | (a - s->base) : 0;
}

}  // namespace

void start(std::uint32_t process) {
  g_process = std::uint64_t{process} << ForeignFiles::kProcessShift;
  g_segments = static_cast<Segment*>(map_pages(kSegments * sizeof(Segment)));
  look_again();
}

bool is_on() { return g_segments != nullptr; }

std::uint64_t place(std::uint64_t pc) {
  const Address a = in_file(pc);
  return a ? a : pc;
}

Address data(Address a) {
  if (!is_on() || a == 0 || a >> ForeignFiles::kShift != 0) return a;
  const Address known = in_file(a);
  return g_process | (known ? known : a);
}

void translate(Problem& p) {
  if (!is_on()) return;
  // Of the other access of a race, the lower half may be all that is known.
  if (p.other.pc != 0 && p.other.pc >> 32 == 0) p.other.pc |= p.place.pc & ~0xffffffffull;
  p.place.pc = place(p.place.pc);
  p.other.pc = place(p.other.pc);
  p.address = data(p.address);
}

static void translate_stack(Recorder& r, std::uint32_t at) {
  if (at == 0) return;
  std::uint64_t* stack = r.stack_at(at);
  for (std::uint64_t i = 1; i <= stack[0]; ++i) stack[i] = place(stack[i]);
}

void translate(Recorder& r) {
  if (!is_on()) return;
  for (; g_events < r.event_count(); ++g_events) {
    Event& e = r.event_at(static_cast<std::uint32_t>(g_events));
    e.pc = place(e.pc);
    e.address = data(e.address);
    e.frame = 0;  // it tells whose variable lies at an address of this process
    translate_stack(r, e.stack);
  }
  for (; g_blocked < r.blocked_count(); ++g_blocked) {
    Blocked& b = r.blocked_at(static_cast<std::uint32_t>(g_blocked));
    b.pc = place(b.pc);
    b.address = data(b.address);
    b.frame = 0;
    translate_stack(r, b.stack);
  }
  for (; g_races < r.race_count(); ++g_races) translate(r.race_at(g_races));
}

void pass_over(Recorder& r) {
  g_events = r.event_count();
  g_blocked = r.blocked_count();
  g_races = r.race_count();
}

}  // namespace jostle::foreign_trace

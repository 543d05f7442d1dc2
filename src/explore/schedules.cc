#include "explore/schedules.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "base/version.h"
#include "explore/requests.h"
#include "options/options.h"
#include "report/frames.h"

namespace jostle::explore {
namespace {

int find_build_id(dl_phdr_info* info, std::size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& ph = info->dlpi_phdr[i];
    if (ph.p_type != PT_NOTE) continue;
    const char* p = reinterpret_cast<const char*>(info->dlpi_addr + ph.p_vaddr);
    const char* end = p + ph.p_memsz;
    while (p + sizeof(ElfW(Nhdr)) <= end) {
      const auto* n = reinterpret_cast<const ElfW(Nhdr)*>(p);
      const char* name = p + sizeof *n;
      const char* desc = name + ((n->n_namesz + 3) & ~3u);
      if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && std::string_view(name, 3) == "GNU") {
        auto& s = *static_cast<std::string*>(out);
        for (std::uint32_t k = 0; k < n->n_descsz; ++k) {
          char hex[3];
          std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(desc[k]));
          s += hex;
        }
      }
      p = desc + ((n->n_descsz + 3) & ~3u);
    }
  }
  return 1;  // the first is the program
}

}  // namespace

std::string build_id() {
  std::string s;
  dl_iterate_phdr(&find_build_id, &s);
  return s;
}

std::string program_path() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

std::vector<std::string> program_arguments() {
  std::vector<std::string> words;
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

namespace {

// The file that standard input is, if it is one.
std::string input_path() {
  struct stat st;
  if (fstat(0, &st) != 0 || !S_ISREG(st.st_mode)) return "";
  char path[4096];
  const ssize_t n = readlink("/proc/self/fd/0", path, sizeof path - 1);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

}  // namespace

std::uint64_t path_hash(const std::string& path) {
  std::uint64_t h = kMainPath;
  std::size_t at = path.find('.');
  while (at != std::string::npos) {
    std::uint16_t ordinal = 0;
    for (++at; at < path.size() && path[at] != '.'; ++at)
      ordinal = static_cast<std::uint16_t>(ordinal * 10 + (path[at] - '0'));
    h = path_of_child(h, ordinal);
    at = at < path.size() ? at : std::string::npos;
  }
  return h;
}

Schedule make_schedule(const Session& session, report::View& view, std::uint32_t patience,
                       const std::vector<std::uint64_t>& promoted) {
  const Trace& t = view.trace;
  Schedule s;
  s.tool_version = kVersion;
  s.program = program_path();
  s.test = session.name;
  s.build_id = build_id();
  s.backend = session.kernel_threads() ? "threads" : "fibers";
  s.preempt = session.settings.preempt;
  if (session.whole_program()) {
    s.whole_program = true;
    s.directory = requests().directory;
    s.input = input_path();
    const Options standard;
    for (const char* name : {"expect-exit", "expect-stdout", "prepare", "cleanup", "start-at",
                             "children", "races", "heap-checks", "timeout", "memory", "printed"})
      if (const std::string v = value_of(session.options, name); v != value_of(standard, name))
        s.options.emplace_back(name, std::string_view(name) == "expect-stdout"
                                         ? std::filesystem::absolute(v).string()
                                         : v);
  }
  s.bounds = session.settings.bounds;
  s.bounds.patience = patience;
  for (const std::uint64_t pc : promoted) {
    const report::Frame f = report::user_frame(view.symbols, std::span(&pc, 1));
    s.promoted.push_back({pc - image_base(), report::short_function(f.function),
                          std::string(report::base_name(f.file)), f.line});
  }
  // How often each thread was at each place, up to each event.
  using Key = std::tuple<ThreadId, EventKind, std::string, std::uint32_t>;
  std::map<Key, std::uint32_t> seen;
  const auto anchor = [&](ThreadId thread, EventKind kind, const report::Frame& f) {
    Anchor a{t.path_of(thread),
             kind,
             report::short_function(f.function),
             std::string(report::base_name(f.file)),
             f.line,
             0};
    a.occurrence = seen[{thread, kind, a.function, a.line}];
    return a;
  };
  std::vector<Anchor> anchors(t.events.size());
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    const Event& e = t.events[i];
    if (class_of(e.kind) == EventClass::note) continue;
    anchors[i] = anchor(e.thread, e.kind, report::where(t, view.symbols, e));
    ++seen[{e.thread, e.kind, anchors[i].function, anchors[i].line}];
  }
  for (std::size_t i = 0; i < t.decisions.size(); ++i) {
    const Decision& d = t.decisions[i];
    if (d.chosen == d.standard) continue;
    ScheduleStep step;
    step.decision = static_cast<std::uint32_t>(i);
    step.kind = d.kind;
    step.choice = d.kind == ChoiceKind::thread ? t.path_of(d.chosen) : std::to_string(d.chosen);
    step.at.thread = t.path_of(d.running);
    // What it was about to do, and may never have come to do.
    if (const auto stack = report::stack_of(t, d); !stack.empty())
      step.at = anchor(d.running, d.next, report::user_frame(view.symbols, stack));
    for (std::size_t k = d.event; k < t.events.size(); ++k)
      if (t.events[k].thread == d.running && class_of(t.events[k].kind) != EventClass::note) {
        step.at = anchors[k];
        break;
      }
    s.steps.push_back(std::move(step));
  }
  return s;
}

std::vector<Deviation> deviations_of(const Schedule& s) {
  std::vector<Deviation> out;
  for (const ScheduleStep& step : s.steps) {
    Deviation d;
    d.decision = step.decision;
    d.kind = step.kind;
    if (step.kind == ChoiceKind::thread)
      d.path = path_hash(step.choice);
    else
      d.choice = static_cast<std::uint16_t>(std::strtoul(step.choice.c_str(), nullptr, 10));
    out.push_back(d);
  }
  return out;
}

std::string file_name_of(const std::string& run) {
  std::string s;
  for (const char c : run)
    s += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
  return s.empty() ? "run" : s;
}

}  // namespace jostle::explore

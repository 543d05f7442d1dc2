// What went wrong, where, and how the threads got there.
#include <algorithm>

#include "report/deadlock.h"
#include "report/event_text.h"
#include "report/terminal.h"
#include "report/text.h"

namespace jostle::report {
namespace {

constexpr std::size_t kMostFrames = 12;

class Block {
 public:
  Block(View& v, const Problem& p, const RenderOptions& o) : v_(v), p_(p), options_(o) {}

  std::string text() {
    add_headline();
    switch (p_.kind) {
      case FindingKind::deadlock:
      case FindingKind::livelock:
        add_blocked();
        break;
      case FindingKind::race:
        add_race();
        break;
      case FindingKind::heap:
        add_heap();
        break;
      default:
        add_failing_thread();
    }
    return out_;
  }

 private:
  void add_line(std::size_t indent, std::string_view text, Paint paint = Paint::plain) {
    const std::size_t width = std::max<std::size_t>(options_.width, 40);
    out_ += std::string(indent, ' ') +
            painted(clipped(text, width - indent), paint, options_.color) + "\n";
  }

  // Breaks at blanks; a message is never cut.
  void add_paragraph(std::string_view text, Paint paint) {
    const std::size_t width = std::max<std::size_t>(options_.width, 40);
    std::string line;
    while (!text.empty()) {
      const std::size_t end = text.find_first_of(" \n");
      const std::string_view word = text.substr(0, end);
      const bool breaks = end != std::string_view::npos && text[end] == '\n';
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
      if (!line.empty() && width_of(line) + 1 + width_of(word) > width) {
        out_ += painted(line, paint, options_.color) + "\n";
        line = "  ";
      } else if (!line.empty() && line != "  ") {
        line += ' ';
      }
      line += word;
      if (breaks) {
        out_ += painted(line, paint, options_.color) + "\n";
        line = "  ";
      }
    }
    if (!line.empty() && line != "  ") out_ += painted(line, paint, options_.color) + "\n";
  }

  void add_headline() {
    const std::string_view message(p_.message, ::strnlen(p_.message, sizeof p_.message));
    std::string text = std::string(name_of(p_.kind)) + ": ";
    if (p_.kind == FindingKind::deadlock && !v_.trace.blocked.empty())
      text += deadlock_headline(v_.trace);
    else if (p_.kind == FindingKind::race)
      text += "two unordered accesses to " + memory();
    else
      text += message.empty() ? text_of(p_.kind) : message;
    add_paragraph(text, Paint::red);
  }

  std::string memory() {
    if (p_.address == 0) return "the same memory";
    const std::size_t event = p_.place.event != 0 ? p_.place.event - 1 : v_.trace.events.size();
    std::string text = v_.naming.long_name(p_.address, event, p_.place.kind);
    if (!text.starts_with("heap ")) text = "`" + text + "`";
    if (p_.size != 0)
      text += " (" + std::to_string(p_.size) + (p_.size == 1 ? " byte)" : " bytes)");
    return text;
  }

  // The frames of the program; the library's own are left out unless there are no others.
  void add_stack(std::span<const std::uint64_t> pcs) {
    const std::vector<Frame> all = resolve(v_.symbols, pcs);
    const bool any_user = std::any_of(all.begin(), all.end(), is_user_frame);
    std::size_t shown = 0;
    for (const Frame& f : all) {
      if (any_user && !is_user_frame(f)) continue;
      if (++shown > kMostFrames) return add_line(6, "…");
      std::string text = f.function.empty() ? "?" : short_function(f.function);
      if (!f.file.empty()) text += "  " + place_text(f);
      add_line(6, text);
      if (shown == 1) add_code(f);
    }
  }

  void add_code(const Frame& f) {
    const std::string_view code = v_.source.line(f.file, f.line);
    if (!code.empty()) add_line(10, code, Paint::dim);
  }

  void add_place(const std::string& what, const Frame& f) {
    add_line(2, what + (f.file.empty() && f.function.empty() ? "" : " at " + place_text(f)));
  }

  void add_failing_thread() {
    if (p_.place.thread == kNoThread && p_.file[0] == 0 && p_.place.pc == 0) return;
    const Frame f = where(v_.trace, v_.symbols, p_);
    const std::string who =
        p_.place.thread == kNoThread ? "the program" : thread_title(v_.trace, p_.place.thread);
    add_place("in " + who, f);
    const auto pcs = stack_of(v_.trace, p_.place);
    if (!pcs.empty() && !resolve(v_.symbols, pcs).empty())
      add_stack(pcs);
    else
      add_code(f);
  }

  void add_access(const Place& p, const std::string& what) {
    add_place(what, where(v_.trace, v_.symbols, p));
    add_stack(stack_of(v_.trace, p));
  }

  void add_race() {
    add_access(p_.place,
               thread_title(v_.trace, p_.place.thread) + " " + std::string(verb(p_.place.kind)));
    add_access(p_.other, "unordered with: " + thread_title(v_.trace, p_.other.thread) + " " +
                             std::string(verb(p_.other.kind)));
  }

  void add_heap() {
    add_line(2, "memory: " + memory());
    add_access(p_.place,
               thread_title(v_.trace, p_.place.thread) + " " + std::string(verb(p_.place.kind)));
    if (p_.other.thread != kNoThread || p_.other.pc != 0)
      add_access(p_.other, "freed by " + thread_title(v_.trace, p_.other.thread));
    const std::size_t event = p_.place.event != 0 ? p_.place.event - 1 : v_.trace.events.size();
    const std::size_t allocation = v_.naming.allocation(p_.address, event);
    if (allocation >= v_.trace.events.size()) return;
    const Event& e = v_.trace.events[allocation];
    add_place("allocated by " + thread_title(v_.trace, e.thread), where(v_.trace, v_.symbols, e));
    add_stack(stack_of(v_.trace, e));
  }

  void add_blocked() {
    for (std::size_t i = 0; i < v_.trace.blocked.size(); ++i) {
      const Blocked& b = v_.trace.blocked[i];
      const auto pcs = stack_of(v_.trace, b);
      add_place(thread_title(v_.trace, b.thread) + " " + wait_text(v_, b),
                user_frame(v_.symbols, pcs));
      add_stack(pcs);
      if (!b.spinning) add_reason(i);
    }
    if (v_.trace.blocked.empty()) add_failing_thread();
  }

  void add_reason(std::size_t i) {
    const Blocked& b = v_.trace.blocked[i];
    const Stuck why = why_stuck(v_.trace, i);
    if (b.owner != kNoThread && b.kind != EventKind::thread_join) {
      const std::size_t taken = last_acquisition(v_.trace, b.owner, b.address);
      if (is_behind_writer(v_.trace, b))
        return add_line(4, thread_label(b.owner) + " waits to write, and comes first");
      const bool reads =
          taken < v_.trace.events.size() && v_.trace.events[taken].kind == EventKind::rwlock_rdlock;
      const std::string holder =
          (why == Stuck::itself ? "it holds that itself" : "held by " + thread_label(b.owner)) +
          (reads ? " for reading" : "");
      const std::string end = why == Stuck::abandoned   ? ", which has ended"
                              : why == Stuck::inherited ? " in another process"
                                                        : "";
      if (taken == v_.trace.events.size()) return add_line(4, holder + end);
      const Frame f = where(v_.trace, v_.symbols, v_.trace.events[taken]);
      add_line(4, holder + end + ", taken at " + place_text(f));
      add_code(f);
    } else if (why == Stuck::lost_signal) {
      const std::size_t signal = last_signal(v_.trace, i);
      const Event& e = v_.trace.events[signal];
      const Frame f = where(v_.trace, v_.symbols, e);
      add_line(4, std::string(participle(e.kind)) + " too early by " + thread_label(e.thread) +
                      " at " + place_text(f) + ", before the wait");
      add_code(f);
    } else if (why == Stuck::used_signal) {
      const Event& e = v_.trace.events[last_signal(v_.trace, i)];
      const Frame f = where(v_.trace, v_.symbols, e);
      add_line(4, "the last signal woke " + after_waking(v_.trace, i) + ": by " +
                      thread_label(e.thread) + " at " + place_text(f));
      add_code(f);
    } else if (why == Stuck::no_signal) {
      add_line(4, "nobody is left to end the wait");
    }
  }

  View& v_;
  const Problem& p_;
  const RenderOptions& options_;
  std::string out_;
};

}  // namespace

std::string render_problem(View& v, const Problem& p, const RenderOptions& options) {
  return p.kind == FindingKind::none ? "" : Block(v, p, options).text();
}

}  // namespace jostle::report

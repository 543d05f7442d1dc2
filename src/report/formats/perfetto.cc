// Trace events in JSON, as chrome://tracing introduced them and ui.perfetto.dev opens them. Each
// finding is a process, each thread a track. A step takes one unit of time: there are no other
// times in a controlled execution. Around the steps of a stretch in which one thread ran on lies a
// slice for the stretch; an arrow leads from each to the next.
#include "report/formats/formats.h"
#include "report/formats/json_writer.h"
#include "report/frames.h"

namespace jostle::report {
namespace {

constexpr std::uint64_t kUnit = 1000;  // microseconds

class Perfetto {
 public:
  std::string text(std::span<const RunResults> runs) {
    w_.open_object();
    w_.member("displayTimeUnit", "ms");
    w_.key("traceEvents").open_array();
    for (const RunResults& r : runs)
      for (const ReportedFinding& f : r.findings) add_finding(r, f);
    w_.close();
    w_.close();
    return w_.text();
  }

 private:
  // Viewers order processes and tracks by number, and take 0 for the kernel's.
  static std::uint64_t track(ThreadId t) { return std::uint64_t{t} + 1; }

  void begin(std::string_view phase, std::string_view name, std::uint64_t thread) {
    w_.open_flat_object();
    w_.member("ph", phase);
    w_.member("name", name);
    w_.member("pid", process_);
    w_.member("tid", thread);
  }

  void add_title(std::string_view what, std::uint64_t thread, const std::string& title) {
    begin("M", what, thread);
    w_.key("args").open_flat_object();
    w_.member("name", title);
    w_.close();
    w_.close();
  }

  void add_finding(const RunResults& run, const ReportedFinding& f) {
    ++process_;
    std::string title = run.name.empty() ? f.kind : run.name + ": " + f.kind;
    if (!f.file.empty()) title += " at " + place_text({"", f.file, f.line});
    add_title("process_name", 0, title);
    for (const StepThread& t : f.steps.threads) add_title("thread_name", track(t.id), t.title);
    const std::vector<Step>& steps = f.steps.steps;
    for (std::size_t i = 0; i < steps.size();) {
      std::size_t end = i + 1;
      while (end < steps.size() && steps[end].thread == steps[i].thread) ++end;
      add_stretch(steps, i, end);
      for (; i < end; ++i) add_step(steps[i], i);
    }
  }

  void add_stretch(const std::vector<Step>& steps, std::size_t first, std::size_t end) {
    const bool stopped = end < steps.size() && steps[end].interrupts;
    begin("X", thread_label(steps[first].thread) + (stopped ? " runs, is interrupted" : " runs"),
          track(steps[first].thread));
    w_.member("cat", "stretch");
    w_.member("ts", first * kUnit);
    w_.member("dur", (end - first) * kUnit);
    w_.close();
    if (first > 0) add_arrow(steps, first);
  }

  void add_arrow(const std::vector<Step>& steps, std::size_t to) {
    const Step& s = steps[to];
    const std::string name = s.change.empty() ? "next" : s.change;
    begin("s", name, track(steps[to - 1].thread));
    w_.member("cat", "switch");
    w_.member("id", ++arrows_);
    w_.member("ts", to * kUnit - kUnit / 2);
    w_.close();
    begin("f", name, track(s.thread));
    w_.member("cat", "switch");
    w_.member("id", arrows_);
    w_.member("bp", "e");
    w_.member("ts", to * kUnit + kUnit / 4);
    w_.close();
  }

  void add_step(const Step& s, std::size_t index) {
    begin("X", s.text, track(s.thread));
    w_.member("cat", name_of(s.kind));
    w_.member("ts", index * kUnit);
    w_.member("dur", kUnit);
    if (s.marked) w_.member("cname", "terrible");
    w_.key("args").open_flat_object();
    w_.member("order", s.order);
    w_.some("function", s.function);
    w_.some("file", s.file);
    if (s.line != 0) w_.member("line", s.line);
    w_.some("change", s.change);
    w_.close();
    w_.close();
  }

  JsonWriter w_;
  std::uint64_t process_ = 0, arrows_ = 0;
};

}  // namespace

std::string to_perfetto(std::span<const RunResults> runs) { return Perfetto().text(runs); }

}  // namespace jostle::report

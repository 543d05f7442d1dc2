// SARIF 2.1.0 (OASIS): what code hosts show beside the lines of a change. The failing execution
// is a code flow with one thread flow for each thread; executionOrder tells how they interleave.
#include "report/formats/formats.h"
#include "report/formats/json_writer.h"
#include "report/naming.h"

namespace jostle::report {
namespace {

constexpr char kRoot[] = "SRCROOT";

struct Rule {
  std::string_view name, text;
};

std::vector<Rule> rules() {
  return {
#define JOSTLE_FINDING(name, text, ends) {name_of(FindingKind::name), text},
#include "events/finding_kinds.def"
#undef JOSTLE_FINDING
  };
}

class Sarif {
 public:
  explicit Sarif(std::span<const RunResults> runs) : runs_(runs) {
    if (!runs.empty()) root_ = runs.front().root;
    if (!root_.empty() && !root_.ends_with("/")) root_ += '/';
  }

  std::string text() {
    w_.open_object();
    w_.member("$schema",
              "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
              "sarif-schema-2.1.0.json");
    w_.member("version", "2.1.0");
    w_.key("runs").open_array();
    w_.open_object();
    add_tool();
    if (!root_.empty()) {
      w_.key("originalUriBaseIds").open_object();
      w_.key(kRoot).open_flat_object();
      w_.member("uri", path_uri(root_));
      w_.close();
      w_.close();
    }
    add_invocation();
    w_.key("results").open_array();
    for (const RunResults& r : runs_)
      for (const ReportedFinding& f : r.findings) add_result(r, f);
    w_.close();
    w_.close();
    w_.close();
    w_.close();
    return w_.text();
  }

 private:
  void add_message(std::string_view name, std::string_view text) {
    w_.key(name).open_flat_object();
    w_.member("text", text);
    w_.close();
  }

  void add_tool() {
    w_.key("tool").open_object();
    w_.key("driver").open_object();
    w_.member("name", "Jostle");
    if (!runs_.empty()) w_.some("semanticVersion", runs_.front().tool_version);
    w_.key("rules").open_array();
    for (const Rule& rule : rules()) {
      w_.open_object();
      w_.member("id", rule.name);
      add_message("shortDescription", rule.text);
      w_.key("defaultConfiguration").open_flat_object();
      w_.member("level", "error");
      w_.close();
      w_.close();
    }
    w_.close();
    w_.close();
    w_.close();
  }

  void add_notification(std::string_view level, const std::string& text) {
    w_.open_flat_object();
    w_.member("level", level);
    add_message("message", text);
    w_.close();
  }

  void add_invocation() {
    bool successful = true;
    for (const RunResults& r : runs_) successful &= r.error.empty();
    w_.key("invocations").open_array();
    w_.open_object();
    w_.member("executionSuccessful", successful);
    w_.key("toolExecutionNotifications").open_array();
    for (const RunResults& r : runs_) {
      if (!r.error.empty()) add_notification("error", r.error);
      for (const std::string& u : r.uncontrolled) add_notification("note", "not controlled: " + u);
    }
    w_.close();
    w_.close();
    w_.close();
  }

  // Members of a location object.
  void add_place(const std::string& function, const std::string& file, std::uint32_t line) {
    if (!file.empty()) {
      const bool below = !root_.empty() && file.starts_with(root_);
      w_.key("physicalLocation").open_flat_object();
      w_.key("artifactLocation").open_flat_object();
      w_.member("uri", path_uri(below ? file.substr(root_.size()) : file));
      if (below) w_.member("uriBaseId", kRoot);
      w_.close();
      if (line != 0) {
        w_.key("region").open_flat_object();
        w_.member("startLine", line);
        w_.close();
      }
      w_.close();
    }
    if (!function.empty()) {
      w_.key("logicalLocations").open_flat_array();
      w_.open_flat_object();
      w_.member("fullyQualifiedName", function);
      w_.member("kind", "function");
      w_.close();
      w_.close();
    }
  }

  void add_result(const RunResults& run, const ReportedFinding& f) {
    const std::vector<Rule> all = rules();
    w_.open_object();
    w_.member("ruleId", f.kind);
    std::string_view meaning = "a finding";
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].name == f.kind) {
        w_.member("ruleIndex", i);
        meaning = all[i].text;
      }
    w_.member("level", "error");
    add_message("message", f.message.empty() ? meaning : std::string_view(f.message));
    w_.key("locations").open_array();
    add_main_location(f);
    w_.close();
    if (!f.fingerprint.empty()) {
      w_.key("partialFingerprints").open_flat_object();
      w_.member("jostle/v2", f.fingerprint);
      w_.close();
    }
    if (!f.baseline.empty())
      w_.member("baselineState", f.baseline == "known" ? "unchanged" : "new");
    if (accepted(f)) {
      w_.key("suppressions").open_flat_array();
      w_.open_flat_object();
      w_.member("kind", "external");
      w_.close();
      w_.close();
    }
    if (!f.steps.steps.empty()) add_code_flow(f.steps);
    w_.key("properties").open_object();
    w_.some("run", run.name);
    w_.some("schedule", f.schedule);
    w_.member("confirmed", f.confirmed);
    w_.member("execution", f.execution);
    w_.close();
    w_.close();
  }

  // A deadlock has no place of its own: then the first of the endless waits is where to look.
  void add_main_location(const ReportedFinding& f) {
    const Step* last = nullptr;
    for (const Step& s : f.steps.steps) {
      if (s.file.empty()) continue;
      last = &s;
      if (s.marked && s.kind != EventKind::thread_join) break;
    }
    const bool own = !f.file.empty();
    if (!own && !last) return;
    w_.open_object();
    if (own)
      add_place(f.function, f.file, f.line);
    else
      add_place(last->function, last->file, last->line);
    w_.close();
  }

  void add_code_flow(const Steps& steps) {
    w_.key("codeFlows").open_array();
    w_.open_object();
    w_.key("threadFlows").open_array();
    for (const StepThread& t : steps.threads) {
      w_.open_object();
      w_.member("id", thread_label(t.id));
      add_message("message", t.title);
      w_.key("locations").open_array();
      for (const Step& s : steps.steps)
        if (s.thread == t.id) add_step(s);
      w_.close();
      w_.close();
    }
    w_.close();
    w_.close();
    w_.close();
  }

  void add_step(const Step& s) {
    w_.open_object();
    w_.key("location").open_object();
    add_place(s.function, s.file, s.line);
    add_message("message", s.change.empty() ? s.text : s.text + " (" + s.change + ")");
    w_.close();
    add_kinds(s.kind);
    w_.member("executionOrder", s.order);
    w_.member("importance", s.marked || s.interrupts ? "essential" : "important");
    w_.close();
  }

  // The words of the standard (3.38.8), where it has some.
  void add_kinds(EventKind kind) {
    Event e;
    e.kind = kind;
    const std::string_view name = name_of(kind);
    std::vector<std::string> words;
    if (is_acquisition(e))
      words = {"acquire", "lock"};
    else if (name.ends_with("_unlock"))
      words = {"release", "lock"};
    else if (is_memory(e))
      words = {"memory", "value"};
    if (words.empty()) return;
    w_.key("kinds").open_flat_array();
    for (const std::string& word : words) w_.value(word);
    w_.close();
  }

  std::span<const RunResults> runs_;
  std::string root_;
  JsonWriter w_;
};

}  // namespace

std::string to_sarif(std::span<const RunResults> runs) { return Sarif(runs).text(); }

}  // namespace jostle::report

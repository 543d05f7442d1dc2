#include "explore/finding_folder.h"

#include "report/event_text.h"
#include "trace/file_io.h"

namespace jostle::explore {
namespace {

std::string place_of(report::View& v, std::uint64_t pc) {
  for (const report::Frame& f : v.symbols.frames(pc))
    if (!f.file.empty())
      return report::short_function(f.function) + "  " + std::string(report::base_name(f.file)) +
             ":" + std::to_string(f.line);
  return "?";
}

std::string trace_text(report::View& v) {
  std::string text;
  for (std::size_t i = 0; i < v.trace.events.size(); ++i) {
    const Event& e = v.trace.events[i];
    text += std::to_string(i + 1) + "\tT" + std::to_string(e.thread) + "\t" +
            report::event_text(v, i) + "\t" + place_of(v, e.pc) + "\n";
  }
  if (v.trace.truncated) text += "(there were more)\n";
  return text;
}

std::string stacks_text(report::View& v) {
  std::string text;
  for (std::size_t t = 0; t < v.trace.threads.size(); ++t) {
    std::size_t last = v.trace.events.size();
    for (std::size_t i = v.trace.events.size(); i-- > 0 && last == v.trace.events.size();)
      if (v.trace.events[i].thread == t) last = i;
    if (last == v.trace.events.size()) continue;
    text += "T" + std::to_string(t) + ": " + report::event_text(v, last) + "\n";
    for (const std::uint64_t pc : v.trace.stack_of(v.trace.events[last]))
      text += "    " + place_of(v, pc) + "\n";
  }
  return text;
}

}  // namespace

Expected<bool> fill_folder(const std::string& folder, report::View& view, const std::string& text,
                           const std::string& printed) {
  const std::pair<const char*, std::string> files[] = {{"report.txt", text},
                                                       {"trace.txt", trace_text(view)},
                                                       {"stacks.txt", stacks_text(view)},
                                                       {"output.txt", printed}};
  for (const auto& [name, content] : files) {
    if (content.empty()) continue;
    if (auto ok = write_file(folder + "/" + name, content); !ok) return ok;
  }
  return true;
}

}  // namespace jostle::explore

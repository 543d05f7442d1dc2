#include "report/terminal.h"

#include "report/ordering.h"
#include "report/text.h"

namespace jostle::report {
namespace {

constexpr std::size_t kMostRaces = 3;  // of one execution; the rest is counted

}  // namespace

std::string render(const Trace& trace, SymbolSource& symbols, const RenderOptions& options) {
  View v(trace, symbols);
  return render(v, options);
}

std::string render(View& v, const RenderOptions& options) {
  const Trace& trace = v.trace;
  std::string out = render_timeline(v, options);
  const auto add_part = [&out](const std::string& part) {
    if (part.empty()) return;
    if (!out.empty()) out += "\n";
    out += part;
  };
  const Problem& failure = trace.outcome.failure;
  add_part(render_problem(v, failure, options));
  if (failure.kind == FindingKind::none) {
    for (std::size_t i = 0; i < trace.races.size() && i < kMostRaces; ++i)
      add_part(render_problem(v, trace.races[i], options));
    if (trace.races.size() > kMostRaces)
      add_part("… and " + std::to_string(trace.races.size() - kMostRaces) + " more races\n");
  }
  if (const std::string ordering = decisive_ordering(v); !ordering.empty())
    add_part(wrapped("What matters: " + ordering + ".", std::max<std::size_t>(options.width, 40)));
  return out;
}

}  // namespace jostle::report

#include "explore/coverage_text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "report/frames.h"
#include "report/plot.h"

namespace jostle::explore {
namespace {

const char* verb_of(Did d) {
  switch (d) {
    case Did::read:
      return "read";
    case Did::write:
      return "write";
    case Did::acquire:
      return "lock";
    default:
      return "unlock";
  }
}

}  // namespace

std::string metric_name(covering::Idiom idiom) {
  if (idiom == covering::Idiom::pair) return "pair";
  return "iroot" + std::to_string(static_cast<int>(idiom));
}

const CoverageText::Place& CoverageText::place(SiteKey site) {
  const auto [it, fresh] = places_.try_emplace(site);
  Place& p = it->second;
  if (!fresh) return p;
  const std::uint64_t pc = pc_of(site);
  const report::Frame f = report::user_frame(symbols_, {&pc, 1});
  p.file = report::base_name(f.file);
  p.text = std::string(verb_of(did_at(site))) + " " + report::place_text(f);
  if (!f.function.empty()) p.text += " (" + report::short_function(f.function) + ")";
  p.user = report::is_user_frame(f);
  p.id = symbols_.place_in_function(pc);
  if (p.id.empty()) p.id = report::place_text(f);
  p.id = p.file + ":" + p.id + ":" + verb_of(did_at(site));
  return p;
}

std::string CoverageText::id(const covering::Item& item) {
  std::string id = metric_name(item.idiom);
  for (int i = 0; i < item.places(); ++i) id += "|" + place(item.at[i]).id;
  return id;
}

CoverageItem CoverageText::item(const covering::Item& item) {
  CoverageItem out;
  out.metric = metric_name(item.idiom);
  for (int i = 0; i < item.places(); ++i) out.places.push_back(place(item.at[i]).text);
  out.id = id(item);
  return out;
}

namespace {

std::string joined(const std::string& metric, const std::vector<std::string>& places) {
  std::string s = metric + ": ";
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0) s += metric == "pair" ? " then " : i == 2 && places.size() == 4 ? " .. " : " => ";
    s += places[i];
  }
  return s;
}

std::string file_of(const CoverageItem& i) {
  if (i.places.empty()) return "?";
  const std::string& p = i.places[0];
  const std::size_t from = p.find(' ') + 1;
  return p.substr(from, p.find(':', from) - from);
}

struct Sum {
  std::size_t exposed = 0, predicted = 0, infeasible = 0;
  void add(const CoverageItem& i) {
    exposed += i.exposed || i.known;
    predicted += i.predicted;
    infeasible += !i.infeasible.empty();
  }
};

std::string row(const std::string& name, const Sum& s, bool predicts) {
  char text[200];
  if (predicts)
    std::snprintf(text, sizeof text, "  %-24s %8zu %9zu %11zu\n", name.c_str(), s.exposed,
                  s.predicted, s.infeasible);
  else
    std::snprintf(text, sizeof text, "  %-24s %8zu\n", name.c_str(), s.exposed);
  return text;
}

}  // namespace

std::string CoverageText::sentence(const covering::Item& i) {
  const CoverageItem item = this->item(i);
  return joined(item.metric, item.places);
}

void conclude_coverage(Result& result, std::uint64_t executions) {
  Coverage& c = result.coverage;
  std::sort(c.items.begin(), c.items.end(), [](const CoverageItem& a, const CoverageItem& b) {
    return std::tie(a.metric, a.id) < std::tie(b.metric, b.id);
  });
  // Good and Turing: the chance that the next execution shows something new is about the share of
  // what was shown by one execution only.
  std::size_t once = 0, shown = 0, open = 0, remembered = 0;
  std::uint64_t last = 0;
  for (const CoverageItem& i : c.items) {
    once += i.hits == 1;
    shown += i.exposed;
    open += i.predicted && !i.exposed && !i.known && i.infeasible.empty();
    remembered += i.predicted && !i.exposed && i.known;
    last = std::max(last, i.execution);
  }
  c.unseen = executions > 0
                 ? std::min(1.0, static_cast<double>(once) / static_cast<double>(executions))
                 : 1;
  char text[300];
  if (!result.findings.empty() && !c.saturated) {
    c.verdict = "See to the finding first: the search ended there.";
  } else if (shown == 0 && open == 0) {
    c.verdict = "There is nothing to interleave: no two threads have touched the same object.";
  } else if (c.saturated && open == 0 && remembered > 0) {
    std::snprintf(text, sizeof text,
                  "No: everything that was predicted has been executed, %zu of it not now but by "
                  "earlier runs (--memo none does it again).",
                  remembered);
    c.verdict = text;
  } else if (c.saturated && open == 0) {
    c.verdict = "No, not with this input: everything that was predicted has been executed.";
  } else if (c.saturated) {
    std::snprintf(text, sizeof text,
                  "Hardly, with this input: %zu predicted interleaving%s withstood all attempts.",
                  open, open == 1 ? "" : "s");
    c.verdict = text;
  } else if (executions < 2 * last || c.unseen > 0.05) {
    std::snprintf(
        text, sizeof text,
        "Yes: something new was seen as late as execution %llu of %llu, and the next shows "
        "something new with a probability of about %.0f %%.",
        static_cast<unsigned long long>(last), static_cast<unsigned long long>(executions),
        c.unseen * 100);
    c.verdict = text;
  } else {
    std::snprintf(
        text, sizeof text, "Hardly, with this input: nothing new since execution %llu of %llu.",
        static_cast<unsigned long long>(last), static_cast<unsigned long long>(executions));
    c.verdict = text;
  }
}

std::string coverage_plot(const Result& result, const std::string& title) {
  std::map<std::string, std::map<std::uint64_t, double>> fresh;  // by metric and execution
  for (const CoverageItem& i : result.coverage.items)
    if (i.exposed) {
      ++fresh["all"][i.execution];
      ++fresh[i.metric][i.execution];
    }
  report::Plot plot{title, "executions", "interleavings exposed", {}, true};
  for (const auto& [name, by_execution] : fresh) {
    report::Curve c{name, {{0, 0}}};
    for (const auto& [execution, n] : by_execution)
      c.points.push_back({static_cast<double>(execution), c.points.back().y + n});
    c.points.push_back({static_cast<double>(result.executions), c.points.back().y});
    plot.curves.push_back(std::move(c));
  }
  return report::to_svg(plot);
}

std::string coverage_report(const Coverage& c, bool verbose) {
  bool predicts = false;
  std::map<std::string, Sum> metrics, files;
  for (const CoverageItem& i : c.items) {
    metrics[i.metric].add(i);
    files[file_of(i)].add(i);
    predicts |= i.predicted;
  }
  std::string out = predicts ? "jostle: coverage                exposed predicted  infeasible\n"
                             : "jostle: coverage                exposed\n";
  for (const auto& [name, sum] : metrics) out += row(name, sum, predicts);
  for (const auto& [name, sum] : files) out += row(name, sum, predicts);
  // Discovery: how much was known when so many executions had been made.
  std::vector<std::uint64_t> first;
  for (const CoverageItem& i : c.items)
    if (i.exposed) first.push_back(i.execution);
  std::sort(first.begin(), first.end());
  if (!first.empty()) {
    out += "  exposed after";
    for (std::uint64_t n = 1;; n *= 4) {
      const auto known = std::upper_bound(first.begin(), first.end(), n) - first.begin();
      out += " " + std::to_string(n) + ": " + std::to_string(known);
      if (static_cast<std::size_t>(known) == first.size()) break;
    }
    out += "\n";
  }
  // What is left, the easiest to reason about first.
  std::size_t shown = 0, left = 0;
  for (const CoverageItem& i : c.items) {
    if (i.exposed || i.known || !i.predicted || !i.infeasible.empty()) continue;
    if (left++ == 0) out += "  not exposed:\n";
    if (verbose || shown < 10) {
      out += "    " + joined(i.metric, i.places) + "\n";
      ++shown;
    }
  }
  if (left > shown) out += "    and " + std::to_string(left - shown) + " more\n";
  out += "jostle: is more testing worth it? " + c.verdict + "\n";
  return out;
}

}  // namespace jostle::explore

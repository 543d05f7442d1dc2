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

// Names of templates may have a thousand characters, four of them are in an id, and a memo has many
// ids: a long name becomes its last letters and a number that stands for all of it.
std::string brief(const std::string& place) {
  constexpr std::size_t kLongest = 48, kKept = 24;
  const std::size_t end = place.rfind('+');
  if (end == std::string::npos || end <= kLongest) return place;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < end; ++i) hash = mix64(hash ^ static_cast<unsigned char>(place[i]));
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text + ("~" + place.substr(end - kKept));
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
  p.id = brief(symbols_.place_in_function(pc));
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
  // Good and Turing: had an execution been the last, it would have shown something new if it showed
  // something that no other did; so will the next one, about as often.
  std::size_t shown = 0, open = 0, remembered = 0, untried = 0;
  std::set<std::uint64_t> alone;  // executions that showed something that no other did
  std::uint64_t last = 0;
  for (const CoverageItem& i : c.items) {
    if (i.hits == 1 && !i.known) alone.insert(i.execution);
    shown += i.exposed;
    untried += i.rank > 0 && i.infeasible.empty() && i.attempts == 0;
    open += i.predicted && !i.exposed && !i.known && i.infeasible.empty();
    remembered += i.predicted && !i.exposed && i.known;
    if (!i.known) last = std::max(last, i.execution);
  }
  c.unseen =
      executions > 0
          ? std::min(1.0, static_cast<double>(alone.size()) / static_cast<double>(executions))
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
  } else if (result.complete) {
    c.verdict = "No, not with this input: every schedule has been executed.";
  } else if (untried > 0) {
    std::snprintf(text, sizeof text,
                  "Yes: the search ended before %zu predicted interleaving%s had been tried.",
                  untried, untried == 1 ? "" : "s");
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

namespace {

std::string tries(std::uint32_t n) {
  if (n == 0) return "";
  return " (tried " + std::to_string(n) + (n == 1 ? " time)" : " times)");
}

std::string listed(const std::string& title, const std::vector<std::string>& lines, bool all) {
  constexpr std::size_t kMost = 10;
  if (lines.empty()) return "";
  std::string out = "  " + title + "\n";
  const std::size_t shown = all ? lines.size() : std::min(kMost, lines.size());
  for (std::size_t i = 0; i < shown; ++i) out += "    " + lines[i] + "\n";
  if (lines.size() > shown) out += "    and " + std::to_string(lines.size() - shown) + " more\n";
  return out;
}

// Since the last run, and compared with another database.
std::string news(const Coverage& c, bool verbose) {
  std::size_t fresh = 0, more = 0, as_there = 0;
  for (const CoverageItem& i : c.items) {
    fresh += i.exposed && !i.known;
    more += (i.exposed || i.known) && !i.against;
    as_there += (i.exposed || i.known) && i.against;
  }
  std::string out;
  if (!c.last_run.empty())
    out += "  new since the last run (" + c.last_run + "): " + std::to_string(fresh) + "\n";
  if (!c.compared) return out;
  out += "  against the other database: " + std::to_string(more) + " new, " +
         std::to_string(as_there) + " in both, " + std::to_string(c.lacking.size()) +
         " only there\n";
  std::vector<std::string> lines;
  for (const CoverageItem& i : c.lacking) lines.push_back(joined(i.metric, i.places));
  return out + listed("exposed only as the other database says:", lines, verbose);
}

}  // namespace

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
  // What settled it, for those that were predicted.
  std::map<std::string, std::size_t> stages;
  for (const CoverageItem& i : c.items)
    if (i.predicted && !i.decided_by.empty())
      ++stages[(i.exposed ? "exposed by " : "infeasible by ") + i.decided_by];
  if (!stages.empty()) {
    out += "  decided";
    const char* separator = ": ";
    for (const auto& [stage, n] : stages) {
      out += separator + stage + " " + std::to_string(n);
      separator = ", ";
    }
    out += "\n";
  }
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
  // What is left, the most promising first.
  std::map<std::uint32_t, const CoverageItem*> ranked;
  for (const CoverageItem& i : c.items)
    if (i.rank > 0 && i.infeasible.empty()) ranked[i.rank] = &i;
  std::vector<std::string> left;
  for (const auto& [rank, i] : ranked)
    left.push_back(joined(i->metric, i->places) + tries(i->attempts));
  out += listed("not exposed, the most promising first:", left, verbose);
  out += news(c, verbose);
  out += "jostle: is more testing worth it? " + c.verdict + "\n";
  return out;
}

}  // namespace jostle::explore

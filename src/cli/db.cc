// jostle db show|items|history|merge|export|prune
#include <cstdio>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "memo/database.h"

namespace jostle::cli {
namespace {

struct Arguments {
  std::string database = ".jostle/memo.db";
  std::string program, state, other, before;
};

ExitCode with_database(const Arguments& a, bool create,
                       ExitCode (*use)(const Arguments&, memo::Database&)) {
  auto d = memo::Database::open(a.database, create);
  return d ? use(a, *d) : fail(ExitCode::usage, d.error());
}

const char* state_of(const memo::Item& i) {
  if (i.exposed) return "exposed";
  if (!i.infeasible.empty()) return "infeasible";
  return i.failures > 0 ? "failed" : "predicted";
}

std::string one_line(const std::string& places) {
  std::string s;
  for (const char c : places) s += c == '\n' ? std::string("; ") : std::string(1, c);
  return s;
}

std::string tries(std::uint64_t n) {
  if (n == 0) return "";
  return " (tried " + std::to_string(n) + (n == 1 ? " time)" : " times)");
}

ExitCode show(const Arguments&, memo::Database& d) {
  const auto programs = d.programs();
  if (!programs) return fail(ExitCode::internal, programs.error());
  std::printf("%-40s %6s %8s %7s %9s %11s\n", "program", "runs", "exposed", "failed", "predicted",
              "infeasible");
  for (const std::string& p : *programs) {
    const auto items = d.items(p);
    const auto runs = d.runs(p);
    if (!items) return fail(ExitCode::internal, items.error());
    if (!runs) return fail(ExitCode::internal, runs.error());
    std::size_t exposed = 0, failed = 0, infeasible = 0, predicted = 0;
    for (const auto& [id, i] : *items) {
      const std::string_view state = state_of(i);
      exposed += state == "exposed";
      failed += state == "failed";
      infeasible += state == "infeasible";
      predicted += i.predicted;
    }
    std::printf("%-40s %6zu %8zu %7zu %9zu %11zu\n", p.c_str(), runs->size(), exposed, failed,
                predicted, infeasible);
  }
  return ExitCode::ok;
}

ExitCode items(const Arguments& a, memo::Database& d) {
  const auto programs = d.programs();
  if (!programs) return fail(ExitCode::internal, programs.error());
  for (const std::string& p : *programs) {
    if (!a.program.empty() && p != a.program) continue;
    const auto all = d.items(p);
    if (!all) return fail(ExitCode::internal, all.error());
    const auto wanted = [&](const memo::Item& i) {
      return a.state.empty() || a.state == state_of(i);
    };
    // What is left, the most promising first; then the rest.
    std::size_t rank = 0;
    for (const memo::Item* i : memo::ranked(*all)) {
      ++rank;
      if (!wanted(*i)) continue;
      std::printf("%6zu %-10s %-7s %s%s\n", rank, state_of(*i), i->metric.c_str(),
                  one_line(i->places).c_str(), tries(i->failures).c_str());
    }
    for (const auto& [id, i] : *all)
      if ((i.exposed || !i.predicted) && wanted(i))
        std::printf("%6s %-10s %-7s %s\n", "-", state_of(i), i.metric.c_str(),
                    one_line(i.places).c_str());
  }
  return ExitCode::ok;
}

ExitCode history(const Arguments& a, memo::Database& d) {
  const auto runs = d.runs(a.program);
  if (!runs) return fail(ExitCode::internal, runs.error());
  for (const memo::Run& r : *runs)
    std::printf("%s  %-30s %8llu executions %8.2f s %6llu exposed %6llu new  %s\n",
                r.started.c_str(), r.program.c_str(), static_cast<unsigned long long>(r.executions),
                r.seconds, static_cast<unsigned long long>(r.exposed),
                static_cast<unsigned long long>(r.fresh), r.input.c_str());
  return ExitCode::ok;
}

ExitCode merge(const Arguments& a, memo::Database& d) {
  auto other = memo::Database::open(a.other, false);
  if (!other) return fail(ExitCode::usage, other.error());
  const auto ok = d.merge(*other);
  return ok ? ExitCode::ok : fail(ExitCode::internal, ok.error());
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    char code[8];
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      std::snprintf(code, sizeof code, "\\u%04x", c), out += code;
    else
      out += c;
  }
  return out + "\"";
}

// One line of JSON for each item.
ExitCode export_lines(const Arguments& a, memo::Database& d) {
  const auto programs = d.programs();
  if (!programs) return fail(ExitCode::internal, programs.error());
  for (const std::string& p : *programs) {
    if (!a.program.empty() && p != a.program) continue;
    const auto all = d.items(p);
    if (!all) return fail(ExitCode::internal, all.error());
    std::map<std::string, std::size_t> rank;
    for (const memo::Item* i : memo::ranked(*all)) rank.emplace(i->id, rank.size() + 1);
    for (const auto& [id, i] : *all) {
      std::string places;
      for (std::size_t at = 0; at < i.places.size();) {
        const std::size_t end = std::min(i.places.find('\n', at), i.places.size());
        places += (places.empty() ? "" : ",") + quoted(i.places.substr(at, end - at));
        at = end + 1;
      }
      const auto r = rank.find(id);
      const std::string ranked =
          r == rank.end() ? "" : "\"rank\":" + std::to_string(r->second) + ",";
      std::printf(
          "{\"program\":%s,\"id\":%s,\"metric\":%s,\"places\":[%s],\"state\":\"%s\",%s"
          "\"predicted\":%s,\"failures\":%llu,\"first\":%s,\"infeasible\":%s,"
          "\"input\":%s,\"schedule\":%s}\n",
          quoted(p).c_str(), quoted(i.id).c_str(), quoted(i.metric).c_str(), places.c_str(),
          state_of(i), ranked.c_str(), i.predicted ? "true" : "false",
          static_cast<unsigned long long>(i.failures), quoted(i.first).c_str(),
          quoted(i.infeasible).c_str(), quoted(i.input).c_str(), quoted(i.schedule).c_str());
    }
  }
  return ExitCode::ok;
}

ExitCode prune(const Arguments& a, memo::Database& d) {
  if (a.program.empty() && a.before.empty())
    return fail(ExitCode::usage, "prune what? --program NAME, --before 2026-01-31, or both");
  const auto n = d.prune(a.program, a.before);
  if (!n) return fail(ExitCode::internal, n.error());
  std::printf("%llu run%s forgotten\n", static_cast<unsigned long long>(*n), *n == 1 ? "" : "s");
  return ExitCode::ok;
}

}  // namespace

void add_db(CLI::App& app, ExitCode& code) {
  const auto a = std::make_shared<Arguments>();
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* text, bool create,
                       ExitCode (*use)(const Arguments&, memo::Database&)) {
    CLI::App* s = app.add_subcommand(name, text);
    s->add_option("--memo", a->database, "the database: a file or postgresql://...")
        ->capture_default_str();
    s->callback([a, &code, create, use] { code = with_database(*a, create, use); });
    return s;
  };
  add("show", "how much is known of each program", false, &show);
  CLI::App* s = add("items", "all interleavings that are known of", false, &items);
  s->add_option("--program", a->program, "only of this program");
  s->add_option("--state", a->state, "only these: exposed, failed, predicted or infeasible");
  s = add("history", "the runs, and what was new in each", false, &history);
  s->add_option("--program", a->program, "only of this program");
  s = add("merge", "add everything of another database", true, &merge);
  s->add_option("OTHER", a->other, "the other database")->required();
  s = add("export", "all items as lines of JSON", false, &export_lines);
  s->add_option("--program", a->program, "only of this program");
  s = add("prune", "forget runs", false, &prune);
  s->add_option("--program", a->program, "only of this program");
  s->add_option("--before", a->before, "only those that started before this date or time");
}

}  // namespace jostle::cli

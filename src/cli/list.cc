// jostle list strategies|priorities|dependencies|findings|options|exit-codes
#include <cstdio>
#include <memory>
#include <vector>

#include "check/priority.h"
#include "cli/commands.h"
#include "events/kinds.h"
#include "options/nearest.h"
#include "options/options.h"
#include "sched/touch.h"
#include "strategies/registry.h"
#include "strategies/search_kind.h"

namespace jostle::cli {
namespace {

void print_row(std::string_view name, std::string_view text) {
  std::printf("%-13.*s %.*s\n", static_cast<int>(name.size()), name.data(),
              static_cast<int>(text.size()), text.data());
}

void list_strategies() {
  const auto others = other_searches();
  print_row(others.front().name, others.front().text);
  for (const StrategyEntry& s : strategies())
    print_row(std::string(s.name) + (s.in_portfolio ? " *" : ""), s.text);
  for (const SearchEntry& s : others.subspan(1)) print_row(s.name, s.text);
}

void list_priorities() {
  for (const checking::PriorityEntry& p : checking::priorities()) print_row(p.name, p.text);
}

// Which operations on one object depend on each other.
void list_dependencies() {
  for (std::uint32_t a = 0; a < kTouches; ++a) {
    std::string on;
    for (std::uint32_t b = 0; b < kTouches; ++b)
      if (dependent(static_cast<Touch>(a), static_cast<Touch>(b)))
        on += (on.empty() ? "" : ", ") + std::string(name_of(static_cast<Touch>(b)));
    std::printf("%-14s depends on %s\n", std::string(name_of(static_cast<Touch>(a))).c_str(),
                on.c_str());
  }
}

void list_findings() {
#define JOSTLE_FINDING(name, text, ends) print_row(name_of(FindingKind::name), text);
#include "events/finding_kinds.def"
#undef JOSTLE_FINDING
}

void list_options() { std::fputs(describe_options().c_str(), stdout); }

void list_exit_codes() {
#define JOSTLE_EXIT(name, code, text) std::printf("%d  %s\n", code, text);
#include "options/exit_codes.def"
#undef JOSTLE_EXIT
}

struct List {
  std::string_view name;
  void (*print)();
};
constexpr List kLists[] = {
    {"strategies", &list_strategies},     {"priorities", &list_priorities},
    {"dependencies", &list_dependencies}, {"findings", &list_findings},
    {"options", &list_options},           {"exit-codes", &list_exit_codes},
};

}  // namespace

void add_list(CLI::App& app, ExitCode& code) {
  const auto what = std::make_shared<std::string>();
  app.add_option("WHAT", *what,
                 "strategies, priorities, dependencies, findings, options or exit-codes")
      ->required();
  app.callback([what, &code] {
    std::vector<std::string_view> names;
    for (const List& l : kLists) {
      if (l.name == *what) return l.print();
      names.push_back(l.name);
    }
    const std::string hint = did_you_mean(*what, names);
    code = fail(ExitCode::usage,
                "there is no list of '" + *what + "'" +
                    (hint.empty()
                         ? ": strategies, priorities, dependencies, findings, options or exit-codes"
                         : hint));
  });
}

}  // namespace jostle::cli

// jostle minimize FILE [-o FILE] [-- more arguments]
//
// A run minimises what it finds, unless minimize=false. This does the same for a file, with a
// fresh start: on a slow machine the run may have stopped early.
#include <cstdio>
#include <memory>

#include "cli/target.h"
#include "trace/schedule_file.h"

namespace jostle::cli {
namespace {

struct Arguments {
  std::string file, output;
  std::vector<std::string> extra;
};

ExitCode minimize(const Arguments& a) {
  const auto before = load_schedule(a.file);
  if (!before) return fail(ExitCode::usage, before.error());
  const Scratch scratch;
  const auto replayed = run_recorded(
      *before,
      {a.file, a.extra, {"JOSTLE_OUTPUT=" + scratch.path(), "JOSTLE_INTERNAL_MINIMIZE=1"}, true});
  if (!replayed) return fail(ExitCode::internal, replayed.error());
  if (replayed->verdict != "reproduced") {
    const ExitCode code = conclude(*before, *replayed);
    if (code == ExitCode::finding)
      return fail(ExitCode::incomplete, "it now fails in another way: the file is left as it is");
    if (code == ExitCode::ok)
      return fail(ExitCode::incomplete, "there is no failure to keep: the file is left as it is");
    return code;
  }
  if (replayed->saved.empty())
    return fail(ExitCode::incomplete, "schedules of a " + before->finding + " cannot be minimised");
  const auto after = load_schedule(replayed->saved);
  if (!after) return fail(ExitCode::internal, after.error());

  const std::size_t had = before->steps.size(), has = after->steps.size();
  if (has >= had && a.output.empty()) {
    std::printf(
        "jostle: '%s' is left as it is: no schedule with fewer than its %zu step%s was found\n",
        a.file.c_str(), had, had == 1 ? "" : "s");
    return ExitCode::ok;
  }
  const std::string& to = a.output.empty() ? a.file : a.output;
  if (const auto saved = save_schedule(to, has < had ? *after : *before); !saved)
    return fail(ExitCode::internal, saved.error());
  std::printf("jostle: '%s' has %zu steps instead of %zu\n", to.c_str(), std::min(has, had), had);
  return ExitCode::ok;
}

}  // namespace

void add_minimize(CLI::App& app, ExitCode& code) {
  const auto a = std::make_shared<Arguments>();
  app.add_option("FILE", a->file, "schedule that a run has saved; replaced by the shorter one")
      ->required();
  app.add_option("-o,--output", a->output, "write the result here instead");
  app.add_option("ARGUMENT", a->extra, "after --: more arguments for the program");
  app.footer(
      "A step is a departure from the default schedule. Exit codes: 0 done, 5 the schedule does "
      "not fail any more, and as for replay.");
  app.callback([a, &code] { code = minimize(*a); });
}

}  // namespace jostle::cli

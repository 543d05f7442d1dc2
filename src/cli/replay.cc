// jostle replay FILE [-- more arguments]
#include <memory>

#include "cli/target.h"
#include "trace/schedule_file.h"

namespace jostle::cli {

void add_replay(CLI::App& app, ExitCode& code) {
  struct Arguments {
    std::string file;
    std::vector<std::string> extra;
  };
  const auto a = std::make_shared<Arguments>();
  app.add_option("FILE", a->file, "schedule that a run has saved")->required();
  app.add_option("ARGUMENT", a->extra, "after --: more arguments for the program");
  app.footer(
      "Starts the program that the schedule was made with. Exit codes: 1 it failed again, 0 the\n"
      "schedule was followed and nothing failed, 6 it could not be followed, 2 the file is\n"
      "unusable, 3 the program is missing or broke, 4 the program has no such test.");
  app.callback([a, &code] {
    const auto schedule = load_schedule(a->file);
    if (!schedule) {
      code = fail(ExitCode::usage, schedule.error());
      return;
    }
    const auto replayed = run_recorded(*schedule, {a->file, a->extra, {}, false});
    code = replayed ? conclude(*schedule, *replayed) : fail(ExitCode::internal, replayed.error());
  });
}

}  // namespace jostle::cli

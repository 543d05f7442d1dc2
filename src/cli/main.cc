// The jostle command.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/process.h"
#include "options/nearest.h"

namespace jostle::cli {
namespace {

// CLI11 would only say that the word was not expected.
ExitCode unknown_verb(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Verb& v : verbs()) names.push_back(v.name);
  const std::string hint = did_you_mean(word, names);
  return fail(ExitCode::usage, "unknown verb '" + word + "'" +
                                   (hint.empty() ? " ('jostle --help' shows all)" : hint));
}

ExitCode unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& n : o->get_lnames()) known.push_back("--" + n);
  const std::vector<std::string_view> views(known.begin(), known.end());
  return fail(ExitCode::usage, "unknown option '" + name + "' of '" + app.get_name() + "'" +
                                   did_you_mean(name, views));
}

// Words that no option and no verb took, of the verb that was called.
ExitCode unexpected(const CLI::App& app) {
  const auto called = app.get_subcommands();
  const CLI::App& verb = called.empty() ? app : *called.front();
  for (const CLI::App* a : {&verb, &app})
    for (const std::string& word : a->remaining()) {
      if (word.starts_with("-")) return unknown_option(verb, word);
      return fail(ExitCode::usage, "'" + word + "' is one argument too many");
    }
  return fail(ExitCode::usage, "there are too many arguments");
}

// Texts in lines that fit into a terminal.
class Help final : public CLI::Formatter {
 public:
  Help() { column_width(kColumn); }
  std::string make_option_desc(const CLI::Option* o) const override {
    return wrapped(CLI::Formatter::make_option_desc(o), kWidth - kColumn);
  }
  std::string make_footer(const CLI::App* app) const override {
    const std::string text = app->get_footer();
    return text.empty() ? "" : wrapped(text, kWidth) + "\n";
  }

 private:
  static constexpr std::size_t kWidth = 79, kColumn = 24;

  static std::string wrapped(const std::string& text, std::size_t width) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::size_t used = 0;
      std::istringstream words(line);
      if (!out.empty() || line.empty()) out += '\n';
      for (std::string word; words >> word; used += word.size()) {
        if (used > 0) out += used + 1 + word.size() > width ? (used = 0, '\n') : (++used, ' ');
        out += word;
      }
    }
    return out;
  }
};

ExitCode run(int argc, char** argv) {
  CLI::App app("Jostle: finds the interleaving that breaks a test, shows it, and replays it.",
               "jostle");
  app.set_version_flag("--version", std::string("jostle ") + kVersion);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Help>());
  app.footer("'jostle VERB --help' says more. Tests call jostle::run(); see the README.");
  ExitCode code = ExitCode::ok;
  for (const Verb& v : verbs()) {
    if (v.take && argc > 1 && v.name == argv[1]) return v.take(argc - 2, argv + 2);
    CLI::App& verb = *app.add_subcommand(std::string(v.name), std::string(v.text));
    if (v.add) v.add(verb, code);
  }

  if (argc > 1 && argv[1][0] != '-') {
    bool known = false;
    for (const Verb& v : verbs()) known |= v.name == argv[1];
    if (!known) return unknown_verb(argv[1]);
  }
  if (argc > 1 && argv[1][0] == '-' && !app.get_option_no_throw(argv[1]))
    return unknown_option(app, argv[1]);
  if (argc == 1) return fail(ExitCode::usage, "a verb is missing ('jostle --help' shows all)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    return unexpected(app);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e), ExitCode::ok;  // --help, --version
    return fail(ExitCode::usage, e.what());
  }
  return code;
}

}  // namespace
}  // namespace jostle::cli

int main(int argc, char** argv) {
  // Where a standard descriptor is closed, something else would take its number.
  for (int fd = 0; fd >= 0 && fd <= 2;) {
    fd = open("/dev/null", O_RDWR);
    if (fd > 2) close(fd);
  }
  try {
    const jostle::ExitCode code = jostle::cli::run(argc, argv);
    if (const int number = jostle::cli::interrupted_by()) {
      std::fflush(nullptr);
      std::raise(number);
    }
    return static_cast<int>(code);
  } catch (const std::exception& e) {
    return static_cast<int>(jostle::cli::fail(jostle::ExitCode::internal, e.what()));
  }
}

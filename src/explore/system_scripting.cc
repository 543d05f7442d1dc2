#include "explore/system_scripting.h"

#include <cstdio>
#include <sstream>

#include "base/rng.h"
#include "explore/findings.h"
#include "explore/rounds.h"
#include "explore/schedules.h"
#include "script/names.h"
#include "script/system_conductor.h"
#include "trace/file_io.h"

namespace jostle::explore {
namespace {

// The first line of a file with the choices of a script.
constexpr const char* kFormat = "jostle choices 1";

// Remembers what was chosen.
class Remembering final : public scripting::Oracle {
 public:
  explicit Remembering(scripting::Oracle& who) : who_(&who) {}
  std::uint32_t choose(std::uint32_t n) override {
    const std::uint32_t k = who_->choose(n);
    chosen_.push_back(k < n ? k : 0);
    return chosen_.back();
  }
  void offer(std::span<const scripting::Event> threads) override { who_->offer(threads); }
  bool restart() override {
    chosen_.clear();
    return who_->restart();
  }
  std::uint64_t strayed() const override { return who_->strayed(); }
  const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  // Who chooses from now on.
  void ask(scripting::Oracle& who) {
    who_ = &who;
    chosen_.clear();
  }

 private:
  scripting::Oracle* who_;
  std::vector<std::uint32_t> chosen_;
};

Expected<std::vector<std::uint32_t>> read_choices(const std::string& path) {
  const auto text = read_file(path, 1u << 24);
  if (!text) return Error{text.error()};
  std::istringstream in(*text);
  std::string first;
  std::getline(in, first);
  if (first != kFormat)
    return Error{"'" + path +
                 "' is not a file with the choices of a script: it does not begin "
                 "with '" +
                 kFormat + "'"};
  std::vector<std::uint32_t> all;
  for (std::uint32_t k; in >> k;) all.push_back(k);
  if (!in.eof()) return Error{"'" + path + "' is damaged: it contains something besides numbers"};
  return all;
}

class SystemScripting {
 public:
  explicit SystemScripting(const Session& session)
      : session_(session),
        oracle_(session.script->oracle),
        conductor_(session.script->script, oracle_,
                   session.options.timeout > 0 ? session.options.timeout : 1e9) {}

  void go(Result& result);

 private:
  void search(Result& result);
  bool add(Result& result);
  bool again(const scripts::SystemFailure& failure, const std::vector<std::uint32_t>& choices);
  void conclude(Result& result) const;

  static constexpr int kConfirmations = 3;
  const Session& session_;
  Remembering oracle_;
  scripts::SystemConductor conductor_;
  Filters filters_;
  std::string first_stuck_;
  bool cut_ = false, failed_ = false;
};

void SystemScripting::go(Result& result) {
  if (result.error = conductor_.error(); !result.error.empty()) return;
  if (auto filters = Filters::load(session_.options)) {
    filters_ = std::move(*filters);
  } else {
    result.error = filters.error();
    return;
  }
  const double start = monotonic_seconds();
  std::unique_ptr<scripting::Oracle> replay;
  if (!session_.options.replay.empty()) {
    const auto choices = read_choices(session_.options.replay);
    if (!choices) {
      result.error = choices.error();
      return;
    }
    replay = scripting::replay(*choices);
    oracle_.ask(*replay);
  }
  search(result);
  result.seconds = monotonic_seconds() - start;
  conclude(result);
}

void SystemScripting::search(Result& result) {
  const Options& o = session_.options;
  const bool exhaustive = o.replay.empty() && session_.script->oracle.exhaustive();
  for (;;) {
    if (result.executions >= o.executions || interrupted(session_) || out_of_time(session_)) {
      cut_ = true;
      return;
    }
    conductor_.execute();
    ++result.executions;
    if (!conductor_.mistake().empty()) {
      result.error = conductor_.mistake();
      return;
    }
    if (conductor_.failure().kind != FindingKind::none) {
      failed_ = true;
      if (add(result) && !o.keep_going) return;
      if (!o.replay.empty() || result.findings.size() >= kMostFindings) return;
    } else if (!conductor_.finished()) {
      ++result.unsatisfied;
      if (first_stuck_.empty()) first_stuck_ = conductor_.stuck();
    }
    if (!oracle_.restart()) {
      result.complete = exhaustive && !failed_ && oracle_.strayed() == 0;
      return;
    }
  }
}

// The same choices, with all processes new.
bool SystemScripting::again(const scripts::SystemFailure& failure,
                            const std::vector<std::uint32_t>& choices) {
  const auto replay = scripting::replay(choices);
  oracle_.ask(*replay);
  conductor_.end_kept();
  conductor_.execute();
  oracle_.ask(session_.script->oracle);
  return conductor_.failure().kind == failure.kind &&
         conductor_.failure().message == failure.message;
}

// False if the user does not want to hear of it.
bool SystemScripting::add(Result& result) {
  const scripts::SystemFailure failure = conductor_.failure();
  const std::vector<std::uint32_t> choices = oracle_.chosen();
  Finding f;
  f.kind = std::string(name_of(failure.kind));
  f.message = failure.message;
  f.function = failure.function;
  f.file = failure.file;
  f.line = failure.line;
  f.execution = result.executions;
  f.fingerprint = f.kind + "|" + f.function + ": " + f.message.substr(0, f.message.find('\n'));
  const bool replaying = !session_.options.replay.empty();
  const report::FindingInfo info{failure.kind, {{f.function, f.file, f.line}}, "", f.fingerprint};
  const Filters::Verdict verdict = replaying ? Filters::Verdict::fresh : filters_.judge(info);
  if (verdict != Filters::Verdict::fresh) {
    if (verdict == Filters::Verdict::unwanted) return false;
    filters_.told(f.fingerprint);
    f.known = true;
    f.report = one_line(f);
    result.accepted.push_back(std::move(f));
    return false;
  }
  filters_.told(f.fingerprint);
  int confirmed = 0;
  const int attempts = replaying ? 0 : kConfirmations;
  for (int i = 0; i < attempts; ++i) confirmed += again(failure, choices);
  f.confirmed = replaying || confirmed == attempts;
  std::string& r = f.report;
  r = f.kind + ": " + f.message + "\n";
  if (f.line)
    r += "  at " + std::string(report::base_name(f.file)) + ":" + std::to_string(f.line) + "\n";
  r += "when it happened:" + failure.states + "\n";
  std::string list;
  for (const std::uint32_t k : choices) list += (list.empty() ? "" : " ") + std::to_string(k);
  r += choices.empty() ? "The script made no choices.\n" : "Choices of the script: " + list + "\n";
  if (replaying) {
    f.schedule = session_.options.replay;
  } else {
    r += "Executed again with the same choices: it happened " + std::to_string(confirmed) + " of " +
         std::to_string(attempts) + " times.\n";
    std::uint64_t h = 0;
    for (const char c : f.fingerprint) h = combine64(h, static_cast<unsigned char>(c));
    char tail[16];
    std::snprintf(tail, sizeof tail, "%06llx", static_cast<unsigned long long>(h & 0xffffff));
    const std::string path = session_.options.output + "/" + file_name_of(session_.name) + "-" +
                             f.kind + "-" + tail + ".choices";
    if (auto written = write_file(path, std::string(kFormat) + "\n" + list + "\n"); !written)
      result.notes.push_back("the choices could not be saved: " + written.error());
    else {
      f.schedule = path;
      r += "\nTo replay it:\n  " + replay_command(session_, path) + "\n";
    }
  }
  result.findings.push_back(std::move(f));
  return true;
}

void SystemScripting::conclude(Result& result) const {
  result.strayed = oracle_.strayed();
  if (!result.error.empty()) return;
  conclude_script(result, first_stuck_, cut_);
}

}  // namespace

void run_system_script(const Session& session, Result& result) {
  SystemScripting(session).go(result);
}

}  // namespace jostle::explore

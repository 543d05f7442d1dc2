#include "explore/checkpoint.h"

#include <unistd.h>

#include <algorithm>

#include "explore/rounds.h"
#include "explore/schedules.h"
#include "options/options.h"
#include "trace/file_io.h"

namespace jostle::explore {
namespace {

constexpr double kInterval = 2;  // seconds
constexpr std::string_view kMagic = "jostle-check 4\n";

// Everything that makes a search what it is.
std::string key_of(const Session& session) {
  const Options& o = session.options;
  std::string key = session.name + "\n" + build_id() + "\n";
  for (const std::string& a : program_arguments())
    if (session.whole_program()) key += a + "\n";
  for (const char* name :
       {"preempt", "spurious", "weak-cas", "timeouts", "retries", "max-steps", "preemptions",
        "reduction", "priority", "seed", "races", "heap-checks", "seal", "start-at"})
    key += std::string(name) + "=" + value_of(o, name) + "\n";
  return key;
}

// Places in the program move with its image from process to process.
std::uint64_t moved(std::uint64_t pc, std::uint64_t from, std::uint64_t to) {
  return pc >= from && pc - from < (1ull << 32) ? pc - from + to : pc;
}

constexpr std::string_view kRace = "race";

void write(checking::Writer& w, const std::vector<Finding>& findings) {
  std::uint64_t count = 0;
  for (const Finding& f : findings) count += f.kind != kRace;
  w.value(count);
  for (const Finding& f : findings) {
    if (f.kind == kRace) continue;
    for (const std::string* s :
         {&f.kind, &f.message, &f.function, &f.file, &f.schedule, &f.report, &f.fingerprint})
      w.text(*s);
    w.value(f.line);
    w.value(f.confirmed);
    w.value(f.known);
    w.value(f.execution);
  }
}

std::vector<Finding> read_findings(checking::Reader& r) {
  std::vector<Finding> out;
  const auto count = r.value<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && r.ok(); ++i) {
    Finding f;
    for (std::string* s :
         {&f.kind, &f.message, &f.function, &f.file, &f.schedule, &f.report, &f.fingerprint})
      *s = r.text();
    f.line = r.value<unsigned>();
    f.confirmed = r.value<bool>();
    f.known = r.value<bool>();
    f.execution = r.value<std::uint64_t>();
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace

Checkpoint::Checkpoint(const Session& session)
    : key_(key_of(session)), next_(monotonic_seconds() + kInterval) {
  path_ = session.options.output + "/" + file_name_of(session.name) + ".check";
}

void Checkpoint::save(const CheckState& s) {
  const double start = monotonic_seconds();
  checking::Writer w;
  w.text(key_);
  w.value(image_base());
  w.value(s.terms.watches);
  w.list(s.terms.promoted);
  w.list(s.known.promoted);
  w.value<std::uint64_t>(s.known.races.size());
  for (std::size_t i = 0; i < s.known.races.size(); ++i) {
    w.value(s.known.races[i].plan);
    w.value(s.known.races[i].race);
    w.value(s.known.races[i].promoted);
    w.list(s.race_paths[i]);
  }
  w.value(s.total);
  w.value(s.result.seconds);
  w.value(s.failed);
  write(w, s.result.findings);
  write(w, s.result.accepted);
  w.value<std::uint64_t>(s.result.uncontrolled.size());
  for (const std::string& what : s.result.uncontrolled) w.text(what);
  s.checker.save(w);
  // A disk that is full costs the checkpoint, not the check.
  (void)write_file(path_, std::string(kMagic) + w.bytes());
  const double now = monotonic_seconds();
  next_ = now + std::max(kInterval, 20 * (now - start));
}

void Checkpoint::save_now_and_then(const CheckState& s) {
  if (monotonic_seconds() >= next_) save(s);
}

void Checkpoint::remove() const { unlink(path_.c_str()); }

bool Checkpoint::load(const CheckState& s, std::string& why) const {
  const auto text = read_file(path_, std::uint64_t{1} << 40);
  if (!text) {
    why = "there is no '" + path_ + "'";
    return false;
  }
  if (!text->starts_with(kMagic)) {
    why = "'" + path_ + "' is no check that was stopped";
    return false;
  }
  checking::Reader r(std::string_view(*text).substr(kMagic.size()));
  if (r.text() != key_) {
    why = "'" + path_ + "' is of another build, or of a check with other options";
    return false;
  }
  const auto base = r.value<std::uint64_t>(), here = image_base();
  Terms terms;
  Known known;
  std::vector<std::vector<Deviation>> paths;
  terms.watches = r.value<bool>();
  terms.promoted = r.list<std::uint64_t>();
  known.promoted = r.list<std::uint64_t>();
  const auto races = r.value<std::uint64_t>();
  for (std::uint64_t i = 0; i < races && r.ok(); ++i) {
    Known::Race race;
    race.plan = r.value<Plan>();
    race.race = r.value<Problem>();
    race.promoted = r.value<std::uint32_t>();
    race.race.place.pc = moved(race.race.place.pc, base, here);
    race.race.other.pc =
        moved(whole(race.race.place.pc - here + base, race.race.other.pc), base, here);
    known.races.push_back(race);
    paths.push_back(r.list<Deviation>());
  }
  for (auto* list : {&terms.promoted, &known.promoted})
    for (std::uint64_t& pc : *list) pc = moved(pc, base, here);
  const auto total = r.value<std::uint64_t>();
  const auto seconds = r.value<double>();
  const auto failed = r.value<bool>();
  std::vector<Finding> findings = read_findings(r), accepted = read_findings(r);
  std::vector<std::string> uncontrolled;
  for (auto n = r.value<std::uint64_t>(); n > 0 && r.ok(); --n) uncontrolled.push_back(r.text());
  if (!r.ok() || !s.checker.load(r) || !r.at_end()) {
    s.checker.start();
    why = "'" + path_ + "' is damaged";
    return false;
  }
  s.terms = terms;
  s.known = known;
  s.race_paths = paths;
  s.total = total;
  s.failed = failed;
  s.result.seconds = seconds;
  s.result.findings = std::move(findings);
  s.result.accepted = std::move(accepted);
  s.result.uncontrolled = std::move(uncontrolled);
  return true;
}

}  // namespace jostle::explore

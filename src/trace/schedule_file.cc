#include "trace/schedule_file.h"

#include "trace/file_io.h"
#include "trace/schedule_words.h"
#include "trace/words.h"

namespace jostle {

std::string write_schedule(const Schedule& s) {
  std::string out = "jostle-schedule " + std::to_string(kScheduleVersion) + "\n";
  const auto put = [&out](std::string_view key, std::string_view value) {
    out += key;
    out += ' ';
    out += to_word(value);
    out += '\n';
  };
  for (const TextKey& k : kTextKeys) {
    put(k.name, s.*k.member);
    // Arguments belong beside the program they are for.
    if (k.name == "program")
      for (const std::string& a : s.arguments) put("argument", a);
  }
  if (s.whole_program) put("scope", "program");
  if (!s.directory.empty()) put("directory", s.directory);
  if (!s.input.empty()) put("input", s.input);
  for (const auto& [name, value] : s.options)
    out += "option " + to_word(name) + " " + to_word(value) + "\n";
  put("preempt", name_of(s.preempt));
  for (const BoundKey& k : kBoundKeys)
    if (!k.may_be_left_out || s.bounds.*k.member != Bounds().*k.member)
      put(k.name, std::to_string(s.bounds.*k.member));
  for (const PromotedSite& p : s.promoted)
    out += "promote " + to_hex(p.offset) + " in " + to_word(p.function) + " at " +
           to_word(p.file + ":" + std::to_string(p.line)) + "\n";
  for (const ScheduleStep& step : s.steps) {
    out += "@" + std::to_string(step.decision) + " " + std::string(name_of(step.kind)) + " " +
           to_word(step.choice) + " when " + to_word(step.at.thread) + " is before " +
           std::string(name_of(step.at.kind)) + " in " + to_word(step.at.function) + " at " +
           to_word(step.at.file + ":" + std::to_string(step.at.line)) + " #" +
           std::to_string(step.at.occurrence) + "\n";
  }
  return out + "end " + std::to_string(s.steps.size()) + "\n";
}

Expected<Schedule> load_schedule(const std::string& path) {
  auto text = read_file(path, kScheduleLimit);
  if (!text) return Error{text.error()};
  auto schedule = read_schedule(*text);
  if (!schedule) return Error{"'" + path + "': " + schedule.error()};
  return schedule;
}

Expected<bool> save_schedule(const std::string& path, const Schedule& s) {
  return write_file(path, write_schedule(s));
}

}  // namespace jostle

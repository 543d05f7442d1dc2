#include <set>

#include "trace/schedule_file.h"
#include "trace/schedule_words.h"
#include "trace/words.h"

namespace jostle {
namespace {

using Words = std::vector<std::string>;

std::string quoted(std::string_view word) {
  // Garbage is shown, but neither at full length nor as terminal control sequences.
  return to_word(word.substr(0, 60));
}

// "0", "0.1.12"
bool is_thread_path(std::string_view s) {
  while (true) {
    const std::size_t dot = s.find('.');
    std::uint32_t n = 0;
    if (!parse_number(s.substr(0, dot), n) || n >= kMaxThreads) return false;
    if (dot == std::string_view::npos) return true;
    s = s.substr(dot + 1);
  }
}

// "bank.cc:12"; the file may be empty and may contain colons itself.
bool parse_place(std::string_view s, std::string& file, std::uint32_t& line) {
  const std::size_t colon = s.rfind(':');
  if (colon == std::string_view::npos || !parse_number(s.substr(colon + 1), line)) return false;
  file = s.substr(0, colon);
  return true;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Expected<Schedule> read() {
    if (text_.size() > kScheduleLimit) return Error{"larger than the limit of 64 MiB"};
    if (!read_version()) return Error{error_};
    while (next_line()) {
      if (line_.starts_with("#")) continue;
      auto words = split_words(line_);
      if (!words) {
        fail(words.error());
      } else if ((*words)[0] == "end") {
        if (read_end(*words)) return std::move(schedule_);
      } else {
        read_fact(*words);
      }
      if (!error_.empty()) return Error{error_};
    }
    ++number_;
    if (error_.empty()) fail("the file is cut short: there is no 'end' line");
    return Error{error_};
  }

 private:
  bool fail(const std::string& why) {
    if (error_.empty()) error_ = "line " + std::to_string(number_) + ": " + why;
    return false;
  }

  bool next_line() {
    if (at_ >= text_.size() || !error_.empty()) return false;
    ++number_;
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return fail("the file is cut short: the line has no end");
    line_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  bool read_version() {
    constexpr std::string_view kMagic = "jostle-schedule ";
    number_ = 1;
    if (text_.empty()) return fail("the file is empty");
    if (!text_.starts_with(kMagic)) return fail("this is not a Jostle schedule");
    number_ = 0;
    if (!next_line()) return false;
    std::uint32_t version = 0;
    if (!parse_number(line_.substr(kMagic.size()), version))
      return fail(quoted(line_.substr(kMagic.size())) + " is not the number of a format");
    if (version == kScheduleVersion) return true;
    std::string why = "the file has format " + std::to_string(version);
    if (line_ = text_.substr(at_, 200); line_.starts_with("tool ")) {
      const auto words = split_words(line_.substr(0, line_.find('\n')));
      if (words && words->size() == 2) why += ", written by Jostle " + quoted((*words)[1]);
    }
    return fail(why + "; this Jostle reads format " + std::to_string(kScheduleVersion) +
                ": use the version that wrote the file, or a newer one");
  }

  bool once(const std::string& key) {
    return seen_.insert(key).second || fail("the key '" + key + "' stands here a second time");
  }

  bool read_fact(const Words& w) {
    if (w[0].starts_with("@")) return read_step(w);
    if (!schedule_.steps.empty()) return fail("only steps may follow a step");
    if (w[0] == "promote") return read_promote(w);
    if (w[0] == "argument") {
      if (w.size() != 2) return fail("'argument' needs one value");
      schedule_.arguments.push_back(w[1]);
      return true;
    }
    if (w[0] == "option") {
      if (w.size() != 3) return fail("'option' needs a name and a value");
      schedule_.options.emplace_back(w[1], w[2]);
      return true;
    }
    if (w[0] == "scope") {
      if (w.size() != 2 || w[1] != "program") return fail("'scope' can only be program");
      schedule_.whole_program = true;
      return once(w[0]);
    }
    if (w[0] == "input" || w[0] == "directory") {
      if (w.size() != 2) return fail("'" + w[0] + "' needs one value; quote it if it has blanks");
      (w[0] == "input" ? schedule_.input : schedule_.directory) = w[1];
      return once(w[0]);
    }
    for (const TextKey& k : kTextKeys)
      if (w[0] == k.name) {
        if (w.size() != 2) return fail("'" + w[0] + "' needs one value; quote it if it has blanks");
        if (k.name == "backend" && w[1] != "fibers" && w[1] != "threads" && !w[1].empty())
          return fail(quoted(w[1]) + " is not a backend: fibers or threads");
        schedule_.*k.member = w[1];
        return once(w[0]);
      }
    for (const BoundKey& k : kBoundKeys)
      if (w[0] == k.name) {
        if (w.size() != 2 || !parse_number(w[1], schedule_.bounds.*k.member))
          return fail("'" + w[0] + "' needs a number from 0 to 4294967295");
        return once(w[0]);
      }
    if (w[0] == "preempt") {
      for (std::size_t i = 0; i < std::size(kPreempts); ++i)
        if (w.size() == 2 && w[1] == kPreempts[i]) {
          schedule_.preempt = static_cast<Preempt>(i);
          return once(w[0]);
        }
      return fail("'preempt' needs one of sync, race, all");
    }
    return fail("unknown key " + quoted(w[0]));
  }

  // promote 0x12f0 in FUNCTION at FILE:LINE
  bool read_promote(const Words& w) {
    PromotedSite p;
    if (w.size() != 6 || w[2] != "in" || w[4] != "at")
      return fail("expected: promote OFFSET in FUNCTION at FILE:LINE");
    if (!parse_hex(w[1], p.offset)) return fail(quoted(w[1]) + " is not an offset such as 0x12f0");
    if (!parse_place(w[5], p.file, p.line)) return fail(quoted(w[5]) + " is not FILE:LINE");
    p.function = w[3];
    schedule_.promoted.push_back(std::move(p));
    return true;
  }

  // @17 thread 0.1 when 0.0 is before KIND in FUNCTION at FILE:LINE #0
  bool read_step(const Words& w) {
    ScheduleStep s;
    if (w.size() != 13 || w[3] != "when" || w[5] != "is" || w[6] != "before" || w[8] != "in" ||
        w[10] != "at" || !w[12].starts_with("#"))
      return fail(
          "expected: @DECISION CHOICE VALUE when THREAD is before EVENT in FUNCTION at "
          "FILE:LINE #N");
    if (!parse_number(w[0].substr(1), s.decision))
      return fail(quoted(w[0].substr(1)) + " is not the number of a decision");
    if (!schedule_.steps.empty() && s.decision <= schedule_.steps.back().decision)
      return fail("decision " + std::to_string(s.decision) + " does not come after " +
                  std::to_string(schedule_.steps.back().decision));
    if (!read_choice(w[1], w[2], s)) return false;
    // Nobody runs when the decision follows the end of a thread.
    if (!w[4].empty() && !is_thread_path(w[4]))
      return fail(quoted(w[4]) + " is not a thread such as 0.1");
    if (!parse(w[7], s.at.kind)) return fail(quoted(w[7]) + " is not a kind of event");
    if (!parse_place(w[11], s.at.file, s.at.line)) return fail(quoted(w[11]) + " is not FILE:LINE");
    if (!parse_number(w[12].substr(1), s.at.occurrence))
      return fail(quoted(w[12]) + " is not an occurrence such as #0");
    s.at.thread = w[4];
    s.at.function = w[9];
    schedule_.steps.push_back(std::move(s));
    return true;
  }

  bool read_choice(const std::string& kind, const std::string& value, ScheduleStep& s) {
    std::uint32_t rank = 0;
    if (kind == kChoices[0]) {
      if (!is_thread_path(value)) return fail(quoted(value) + " is not a thread such as 0.1");
    } else if (kind != kChoices[1] && kind != kChoices[2]) {
      return fail(quoted(kind) + " is not a choice: thread, waiter or weak-cas");
    } else if (!parse_number(value, rank) || rank > 0xffff) {
      return fail(quoted(value) + " is not a number from 0 to 65535");
    }
    for (std::size_t i = 0; i < std::size(kChoices); ++i)
      if (kind == kChoices[i]) s.kind = static_cast<ChoiceKind>(i);
    s.choice = value;
    return true;
  }

  bool read_end(const Words& w) {
    std::uint32_t steps = 0;
    if (w.size() != 2 || !parse_number(w[1], steps)) return fail("'end' needs the number of steps");
    if (steps != schedule_.steps.size())
      return fail("the file should have " + std::to_string(steps) + " steps but has " +
                  std::to_string(schedule_.steps.size()));
    for (const TextKey& k : kTextKeys)
      if (!seen_.contains(std::string(k.name))) return missing(k.name);
    for (const BoundKey& k : kBoundKeys)
      if (!k.may_be_left_out && !seen_.contains(std::string(k.name))) return missing(k.name);
    if (!seen_.contains("preempt")) return missing("preempt");
    if (at_ != text_.size()) {
      ++number_;
      return fail("there is text after the 'end' line");
    }
    return true;
  }

  bool missing(std::string_view key) {
    return fail("the key '" + std::string(key) + "' is missing");
  }

  std::string_view text_, line_;
  std::size_t at_ = 0, number_ = 0;
  std::string error_;
  std::set<std::string> seen_;
  Schedule schedule_;
};

}  // namespace

Expected<Schedule> read_schedule(std::string_view text) { return Reader(text).read(); }

}  // namespace jostle

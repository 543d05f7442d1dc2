#include "report/suppress.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "trace/file_io.h"
#include "trace/words.h"

namespace jostle::report {
namespace {

constexpr std::uint64_t kLimit = 16u << 20;

Error at_line(std::size_t number, const std::string& why) {
  return {"line " + std::to_string(number) + ": " + why};
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

// Calls f(number, line) for each line, without blanks around it, until it is false.
template <class F>
void each_line(std::string_view text, F f) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!f(number, line)) return;
  }
}

template <class T>
Expected<T> load_from(const std::string& path) {
  const auto text = read_file(path, kLimit);
  if (!text) return Error{text.error()};
  auto parsed = T::parse(*text);
  if (!parsed) return Error{"'" + path + "': " + parsed.error()};
  return parsed;
}

// "function=Logger::*": a key of lower-case letters and '='.
std::size_t key_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && s[n] >= 'a' && s[n] <= 'z') ++n;
  return n > 0 && n < s.size() && s[n] == '=' ? n : 0;
}

bool matches_file(std::string_view pattern, const Frame& f) {
  return matches_pattern(pattern, f.file) || matches_pattern(pattern, base_name(f.file));
}

bool matches_function(std::string_view pattern, const Frame& f) {
  return matches_pattern(pattern, short_function(f.function));
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // On a mismatch only the last '*' needs to take one character more: never exponential.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Expected<Suppressions> Suppressions::parse(std::string_view text) {
  Suppressions all;
  Error error;
  each_line(text, [&](std::size_t number, std::string_view line) {
    if (line.empty() || line[0] == '#') return true;
    const auto fail = [&](const std::string& why) {
      error = at_line(number, why);
      return false;
    };
    Rule r;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return fail("expected KIND:PATTERN");
    const std::string_view kind = trimmed(line.substr(0, colon));
    if (kind != "*" && (!jostle::parse(kind, r.kind) || r.kind == FindingKind::none))
      return fail("unknown kind of finding " + to_word(kind.substr(0, 40)));
    std::string_view rest = trimmed(line.substr(colon + 1));
    if (rest.empty()) return fail("the pattern is missing; '*' would match everything");
    if (key_length(rest) == 0) {
      r.any = rest;
      rest = {};
    }
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      const std::size_t n = key_length(part);
      const std::string_view key = part.substr(0, n);
      std::string* slot = key == "function"   ? &r.function
                          : key == "file"     ? &r.file
                          : key == "variable" ? &r.variable
                                              : nullptr;
      if (!slot)
        return fail("expected function=, file= or variable= instead of " +
                    to_word(part.substr(0, 40)));
      if (!slot->empty()) return fail("'" + std::string(key) + "' stands here a second time");
      *slot = part.substr(n + 1);
      if (slot->empty()) return fail("'" + std::string(key) + "' has no pattern");
    }
    all.rules_.push_back(std::move(r));
    return true;
  });
  if (!error.message.empty()) return error;
  return all;
}

Expected<Suppressions> Suppressions::load(const std::string& path) {
  return load_from<Suppressions>(path);
}

bool Suppressions::matches(const Rule& r, const FindingInfo& finding) {
  if (r.kind != FindingKind::none && r.kind != finding.kind) return false;
  if (!r.any.empty()) {
    if (!finding.variable.empty() && matches_pattern(r.any, finding.variable)) return true;
    for (const Frame& f : finding.frames)
      if (matches_function(r.any, f) || matches_file(r.any, f)) return true;
    return r.any == "*";
  }
  if (!r.variable.empty() && !matches_pattern(r.variable, finding.variable)) return false;
  if (r.function.empty() && r.file.empty()) return true;
  for (const Frame& f : finding.frames)
    if ((r.function.empty() || matches_function(r.function, f)) &&
        (r.file.empty() || matches_file(r.file, f)))
      return true;
  return false;
}

bool Suppressions::matches(const FindingInfo& finding) const {
  for (const Rule& r : rules_)
    if (matches(r, finding)) return true;
  return false;
}

Expected<Baseline> Baseline::parse(std::string_view text) {
  constexpr std::string_view kVersion = "jostle-baseline 2";
  Baseline b;
  Error error;
  bool versioned = false;
  std::string above;
  each_line(text, [&](std::size_t number, std::string_view line) {
    if (line.empty() || line[0] == '#') {
      above += std::string(line) + "\n";
      return true;
    }
    if (!versioned) {
      versioned = line == kVersion;
      if (line == "jostle-baseline 1")
        error = at_line(number,
                        "the findings of a baseline of version 1 are named by line numbers, which "
                        "no longer count: remove the file and make it anew with update-baseline");
      else if (!versioned)
        error = at_line(number, "expected '" + std::string(kVersion) + "'");
      b.head_ = std::exchange(above, "");
      return versioned;
    }
    const std::size_t bar = line.find('|');
    FindingKind kind = FindingKind::none;
    if (bar == std::string_view::npos || !jostle::parse(line.substr(0, bar), kind)) {
      error = at_line(number, to_word(line.substr(0, 60)) + " is not a fingerprint");
      return false;
    }
    b.add(std::string(line), std::exchange(above, ""));
    return true;
  });
  if (!error.message.empty()) return error;
  if (!versioned) return at_line(1, "expected '" + std::string(kVersion) + "'");
  b.tail_ = above;
  return b;
}

Expected<Baseline> Baseline::load(const std::string& path) { return load_from<Baseline>(path); }

std::string Baseline::text() const {
  std::string out = head_ + "jostle-baseline 2\n";
  for (const auto& [fingerprint, above] : known_) out += above + fingerprint + "\n";
  return out + tail_;
}

Expected<bool> Baseline::add_to(const std::string& path,
                                std::span<const std::string> fingerprints) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code none;  // writing tells
  fs::create_directories(folder, none);
  // Tests that run at the same time may share the file. The directory is locked, because the file
  // is replaced; closing unlocks. Where locks do not work, only the merging protects others.
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (lock >= 0 && ::flock(lock, LOCK_EX) != 0 && errno == EINTR) {
  }
  const auto merged = [&]() -> Expected<bool> {
    Baseline b;
    if (fs::exists(path, none)) {
      auto there = load(path);
      if (!there) return Error{there.error()};
      b = std::move(*there);
    }
    for (const std::string& f : fingerprints) b.add(f);
    return write_file(path, b.text());
  }();
  if (lock >= 0) ::close(lock);
  return merged;
}

}  // namespace jostle::report

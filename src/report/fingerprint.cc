#include "report/fingerprint.h"

#include <algorithm>

#include "report/deadlock.h"

namespace jostle::report {
namespace {

std::string key_of(View& v, const Frame& f) {
  std::string function = f.function.empty() ? "?" : short_function(f.function);
  if (f.file.empty()) return function;
  // Its number changes with every edit above it.
  constexpr std::size_t kEnough = 200;
  const std::string_view line = v.source.line(f.file, f.line).substr(0, kEnough);
  if (line.empty()) return function + "@" + place_text(f);
  return function + "@" + std::string(base_name(f.file)) + ": " + std::string(line);
}

bool is_stuck(const Problem& p) {
  return p.kind == FindingKind::deadlock || p.kind == FindingKind::livelock;
}

}  // namespace

std::string fingerprint(View& v, const Problem& p, const std::string& run) {
  std::vector<std::string> keys;
  if (is_stuck(p) && !v.trace.blocked.empty()) {
    // A thread that joins a stuck one is a consequence, and how many do so may vary.
    for (const Blocked& b : v.trace.blocked)
      if (b.kind != EventKind::thread_join || v.trace.blocked.size() == 1)
        keys.push_back(key_of(v, user_frame(v.symbols, stack_of(v.trace, b))));
    if (keys.empty()) keys.push_back("join");
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  } else {
    const Frame at = where(v.trace, v.symbols, p);
    if (at.file.empty() && at.function.empty()) {
      const std::string_view message = p.message;
      keys.push_back(run + ": " + std::string(message.substr(0, message.find('\n'))));
    } else {
      keys.push_back(key_of(v, at));
    }
    if (p.kind == FindingKind::race) {
      keys.push_back(key_of(v, where(v.trace, v.symbols, p.other)));
      std::sort(keys.begin(), keys.end());
    }
  }
  std::string text(name_of(p.kind));
  for (const std::string& k : keys) text += "|" + k;
  return text;
}

FindingInfo describe(View& v, const Problem& p, const std::string& run) {
  FindingInfo info;
  info.kind = p.kind;
  const auto add = [&](const std::vector<std::uint64_t>& pcs) {
    const std::vector<Frame> frames = resolve(v.symbols, pcs);
    info.frames.insert(info.frames.end(), frames.begin(), frames.end());
  };
  if (p.file[0] != 0) info.frames.push_back(where(v.trace, v.symbols, p));
  add(stack_of(v.trace, p.place));
  add(stack_of(v.trace, p.other));
  if (is_stuck(p))
    for (const Blocked& b : v.trace.blocked) add(stack_of(v.trace, b));
  const std::size_t event = p.place.event != 0 ? p.place.event - 1 : v.trace.events.size();
  if (p.address != 0) info.variable = v.naming.name(p.address, event, p.place.kind);
  info.fingerprint = fingerprint(v, p, run);
  return info;
}

}  // namespace jostle::report

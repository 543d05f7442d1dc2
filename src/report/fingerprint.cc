#include "report/fingerprint.h"

#include <algorithm>

#include "report/deadlock.h"

namespace jostle::report {
namespace {

std::string key_of(const Frame& f) {
  const std::string function = f.function.empty() ? "?" : short_function(f.function);
  return f.file.empty() ? function : function + "@" + place_text(f);
}

bool is_stuck(const Problem& p) {
  return p.kind == FindingKind::deadlock || p.kind == FindingKind::livelock;
}

}  // namespace

std::string fingerprint(View& v, const Problem& p) {
  std::vector<std::string> keys;
  if (is_stuck(p) && !v.trace.blocked.empty()) {
    // A thread that joins a stuck one is a consequence, and how many do so may vary.
    for (const Blocked& b : v.trace.blocked)
      if (b.kind != EventKind::thread_join || v.trace.blocked.size() == 1)
        keys.push_back(key_of(user_frame(v.symbols, stack_of(v.trace, b))));
    if (keys.empty()) keys.push_back("join");
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  } else {
    keys.push_back(key_of(where(v.trace, v.symbols, p)));
    if (p.kind == FindingKind::race) {
      keys.push_back(key_of(where(v.trace, v.symbols, p.other)));
      std::sort(keys.begin(), keys.end());
    }
  }
  std::string text(name_of(p.kind));
  for (const std::string& k : keys) text += "|" + k;
  return text;
}

FindingInfo describe(View& v, const Problem& p) {
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
  info.fingerprint = fingerprint(v, p);
  return info;
}

}  // namespace jostle::report

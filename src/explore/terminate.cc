#include "explore/terminate.h"

#include <cstdio>
#include <string_view>

#include "report/frames.h"

namespace jostle::explore {
namespace {

constexpr std::string_view kCalled = "std::terminate() was called";
constexpr std::string_view kHandling = "std::terminate() was called while handling an ";

}  // namespace

std::string terminate_message(const std::string& message,
                              const std::vector<report::Frame>& frames) {
  if (!message.starts_with(kCalled)) return message;
  const std::string rest = message.substr(kCalled.size());
  for (const report::Frame& f : frames) {
    const std::string function = report::short_function(f.function);
    if (function.ends_with("thread::~thread"))
      return "std::thread destroyed while joinable: std::terminate() was called" + rest;
    if (function.ends_with("thread::operator="))
      return "std::thread assigned to while joinable: std::terminate() was called" + rest;
    // clang's way out of a noexcept function.
    if (function == "__clang_call_terminate" && message.starts_with(kHandling))
      return "uncaught " + message.substr(kHandling.size());
  }
  return message;
}

void explain_terminate(Problem& p, report::Symbols& symbols) {
  if (p.kind != FindingKind::exception) return;
  const std::string m = terminate_message(p.message, symbols.frames(p.place.pc));
  std::snprintf(p.message, sizeof p.message, "%s", m.c_str());
}

}  // namespace jostle::explore

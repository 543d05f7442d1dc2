#include "explore/status.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "explore/rounds.h"

namespace jostle::explore {
namespace {

constexpr double kOnTerminal = 0.2, kElsewhere = 10;

std::string grouped(std::uint64_t n) {
  std::string out;
  const std::string digits = std::to_string(n);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

std::string minutes(double seconds) {
  char text[32];
  const auto s = static_cast<unsigned long>(seconds);
  std::snprintf(text, sizeof text, "%lu:%02lu", s / 60, s % 60);
  return text;
}

}  // namespace

Status::Status(bool shown)
    : shown_(shown), terminal_(shown && isatty(2)), start_(monotonic_seconds()) {
  next_ = start_ + (terminal_ ? kOnTerminal : kElsewhere);
  last_new_ = start_;
}

Status::~Status() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Status::during(std::uint64_t executed) {
  if (shown_ && monotonic_seconds() >= next_) show(before_ + executed);
}

void Status::after_round(std::uint64_t executions, std::size_t findings, std::uint64_t behaviours,
                         const std::string& strategies) {
  if (behaviours > behaviours_) last_new_ = monotonic_seconds();
  behaviours_ = behaviours;
  strategies_ = strategies;
  so_far(executions, findings, "");
}

void Status::so_far(std::uint64_t executions, std::size_t findings, const std::string& rest) {
  before_ = executions;
  findings_ = findings;
  rest_ = rest;
  during(0);
}

// What matters most comes first: a narrow terminal cuts the end.
void Status::show(std::uint64_t executions) {
  const double now = monotonic_seconds(), elapsed = now - start_;
  next_ = now + (terminal_ ? kOnTerminal : kElsewhere);
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(executions) / elapsed);
  std::string line = "jostle: " + minutes(elapsed) + "  " + std::to_string(findings_) + " found  " +
                     grouped(executions) + " executions  " + grouped(rate) + "/s  ";
  if (rest_.empty())
    line += grouped(behaviours_) + " behaviours, new " + minutes(now - last_new_) + " ago";
  else
    line += rest_;
  if (!strategies_.empty()) line += "  " + strategies_;
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  winsize size = {};
  const std::size_t width = ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  if (line.size() >= width) line.resize(width - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  drawn_ = true;
}

}  // namespace jostle::explore

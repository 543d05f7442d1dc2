#include "explore/show.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "report/text.h"

namespace jostle::explore {
namespace {

// Not through stdio: in a whole program the streams are the program's. Whoever reads may have gone;
// that is no reason to die with things half done.
void write_all(int fd, std::string_view text) {
  if (text.empty()) return;
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  const timespec now{};
  if (!sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

constexpr std::string_view kOwn = "jostle: ";

// Terminals break lines anywhere, so they are given whole words; everybody else gets whole lines.
std::string for_reading(std::string_view line, int fd) {
  const std::size_t width = terminal_width(fd);
  if (width < 2 * kOwn.size() || line.size() <= width || !line.starts_with(kOwn))
    return std::string(line);
  line.remove_suffix(line.ends_with('\n'));
  return report::wrapped(line, width, kOwn.size());
}

}  // namespace

std::size_t terminal_width(int fd) {
  winsize size = {};
  return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void show_report(const std::string& report, bool asked_for) {
  std::string asked, errors;
  for (std::string_view rest = report; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
    if (asked_for && !line.starts_with("jostle: error: "))
      asked += for_reading(line, STDOUT_FILENO);
    else
      errors += for_reading(line, STDERR_FILENO);
    rest.remove_prefix(line.size());
  }
  if (!asked_for) {
    std::fputs(errors.c_str(), stderr);
    return;
  }
  write_all(STDOUT_FILENO, asked);
  write_all(STDERR_FILENO, errors);
}

}  // namespace jostle::explore

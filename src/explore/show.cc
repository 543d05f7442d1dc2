#include "explore/show.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string_view>

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

}  // namespace

void show_report(const std::string& report, bool asked_for) {
  if (!asked_for) {
    std::fputs(report.c_str(), stderr);
    return;
  }
  std::string asked, errors;
  for (std::string_view rest = report; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
    (line.starts_with("jostle: error: ") ? errors : asked) += line;
    rest.remove_prefix(line.size());
  }
  write_all(STDOUT_FILENO, asked);
  write_all(STDERR_FILENO, errors);
}

}  // namespace jostle::explore

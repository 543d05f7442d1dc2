#include "explore/spawn.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "base/mapped.h"
#include "explore/requests.h"

namespace jostle::explore {
namespace {

std::optional<Spawned>& own() {
  static std::optional<Spawned> s;
  return s;
}

}  // namespace

const std::optional<Spawned>& spawned() { return own(); }

void prepare_to_spawn() {
  if (requests().spawned.find_first_not_of(' ') != std::string::npos) {
    char task = 0;
    Spawned s{};
    if (std::sscanf(requests().spawned.c_str(), "%d %c %zu %u", &g_shared_file.fd, &task, &s.at,
                    &s.which) != 4)
      _exit(1);
    fcntl(g_shared_file.fd, F_SETFD, FD_CLOEXEC);
    s.task = static_cast<Spawned::Task>(task);
    own() = s;
  } else {
    constexpr int kFirst = 700;  // out of the way of the program's
    const int file = memfd_create("jostle-shared", MFD_CLOEXEC);
    g_shared_file.fd = fcntl(file, F_DUPFD_CLOEXEC, kFirst);
    close(file);
    (void)!ftruncate(g_shared_file.fd, SharedFile::kMost);
  }
}

void start_anew(const Session& session, Spawned what) {
  char text[80];
  std::snprintf(text, sizeof text, "%d %c %zu %u", g_shared_file.fd, static_cast<char>(what.task),
                what.at, what.which);
  fcntl(g_shared_file.fd, F_SETFD, 0);
  session.surroundings.start_anew(text);
  _exit(1);
}

}  // namespace jostle::explore

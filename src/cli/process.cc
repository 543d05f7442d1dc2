#include "cli/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace jostle::cli {
namespace {

// Our environment, with the variables of the same name replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    const std::string head = entry.substr(0, entry.find('=') + 1);
    bool replaced = false;
    for (const std::string& v : variables) replaced |= v.starts_with(head);
    if (!replaced) all.push_back(entry);
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> p;
  for (const std::string& w : words) p.push_back(const_cast<char*>(w.c_str()));
  p.push_back(nullptr);
  return p;
}

// Orphans of the program are handed to us, because we are a subreaper.
struct Child {
  pid_t pid;
  unsigned long long started;  // in ticks of the system's clock
};
std::vector<Child> children() {
  std::vector<Child> found;
  DIR* processes = opendir("/proc");
  if (!processes) return found;
  while (const dirent* e = readdir(processes)) {
    const int pid = std::atoi(e->d_name);
    if (pid <= 0) continue;
    char path[64], text[512];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    // The name may contain anything; what follows its last parenthesis does not.
    const char* after = std::strrchr(text, ')');
    int parent = 0;
    unsigned long long started = 0;
    constexpr char kFields[] =
        " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
    if (after && std::sscanf(after + 1, kFields, &parent, &started) == 2 && parent == getpid())
      found.push_back({pid, started});
  }
  closedir(processes);
  return found;
}

// The children of one that we kill become ours, and may have more.
void kill_children() {
  for (int round = 0; round < 10'000; ++round) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const std::vector<Child> all = children();
    if (all.empty()) return;
    for (const Child& c : all) kill(c.pid, SIGKILL);
    usleep(1000);
  }
}

// Until the child has ended. What its executions leave behind must not become too much meanwhile.
int wait_for(pid_t child) {
  constexpr std::size_t kMostOrphans = 100;
  int status = 0;
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd p{fd, POLLIN, 0};
  while (fd >= 0 && poll(&p, 1, 500) != 1) {
    std::vector<Child> all = children();
    // Most have ended by themselves.
    std::erase_if(all, [&](const Child& c) {
      return c.pid == child || waitpid(c.pid, nullptr, WNOHANG) == c.pid;
    });
    if (all.size() <= kMostOrphans) continue;
    // The youngest may belong to the execution that is being made.
    std::sort(all.begin(), all.end(),
              [](const Child& a, const Child& b) { return a.started < b.started; });
    all.resize(all.size() - kMostOrphans);
    for (const Child& c : all) {
      kill(c.pid, SIGKILL);
      waitpid(c.pid, nullptr, 0);
    }
  }
  if (fd >= 0) close(fd);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int g_interrupted_by = 0;

// While a program runs for us, it gets to deal with interruptions: what a terminal sends it has
// got anyway, what was sent to us alone is handed on. Then there is time to clean up.
class Interruptions {
 public:
  Interruptions() {
    g_child = 0;
    struct sigaction sa = {};
    sa.sa_handler = [](int number) {
      if (g_child > 0) kill(g_child, number);
    };
    sa.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &sa, nullptr);
    }
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;
  ~Interruptions() { restore(); }
  void restore() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  static void hand_on_to(pid_t child) { g_child = child; }

  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

 private:
  static inline volatile pid_t g_child = 0;
  struct sigaction before_[kSignals.size()];
};

}  // namespace

int interrupted_by() { return g_interrupted_by; }

Expected<int> run_process(const std::vector<std::string>& words,
                          const std::vector<std::string>& variables, bool silent,
                          const std::string& input, const std::string& directory) {
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  // The child's errno if it could not become the program comes through a pipe that exec closes.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return Error{std::string("no pipe: ") + std::strerror(errno)};
  std::fflush(nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Interruptions interruptions;
  const pid_t child = fork();
  Interruptions::hand_on_to(child);
  if (child == 0) {
    interruptions.restore();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (const int null = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1; null >= 0) {
      dup2(null, 1);
      dup2(null, 2);
    }
    if (const int in = input.empty() ? -1 : open(input.c_str(), O_RDONLY | O_CLOEXEC); in >= 0)
      dup2(in, 0);
    personality(ADDR_NO_RANDOMIZE);
    if (directory.empty() || chdir(directory.c_str()) == 0)
      execve(argv[0], argv.data(), envp.data());
    const int error = errno;
    (void)!write(report[1], &error, sizeof error);
    _exit(127);
  }
  close(report[1]);
  int error = child < 0 ? errno : 0, status = 0;
  ssize_t got = 0;
  do got = child > 0 ? read(report[0], &error, sizeof error) : 0;
  while (got < 0 && errno == EINTR);
  if (child > 0 && got != static_cast<ssize_t>(sizeof error)) error = 0;
  close(report[0]);
  if (child > 0) status = wait_for(child);
  kill_children();
  if (WIFSIGNALED(status))
    for (const int number : Interruptions::kSignals)
      if (WTERMSIG(status) == number) g_interrupted_by = number;
  if (error != 0) return Error{"cannot start '" + words[0] + "': " + std::strerror(error)};
  return status;
}

}  // namespace jostle::cli

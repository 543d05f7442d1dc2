#include "program/streams.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/engine.h"
#include "trace/file_io.h"

namespace jostle::program {
namespace {

constexpr int kFirst = 700;  // our own descriptors: out of the way of the program's
int g_input = -1;
const std::string* g_expected = nullptr;
int g_shown[2] = {-1, -1};
int g_kept[2] = {-1, -1};
// Descriptors that the program has got from elsewhere, or opened before main().
constexpr int kOthers = 256;
struct {
  int flags;  // -1: there is none
  off_t position;
} g_others[kOthers];
bool g_fresh = true;  // what earlier processes printed is still there

int out_of_the_way(int fd) {
  if (fd < 0) return fd;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kFirst);
  if (high < 0) return fd;
  close(fd);
  return high;
}

int memory_file(const char* name) { return out_of_the_way(memfd_create(name, MFD_CLOEXEC)); }

void copy_all(int from, int to) {
  char buffer[1 << 16];
  for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;)
    if (write(to, buffer, static_cast<std::size_t>(n)) != n) break;
}

std::string content(int fd) {
  std::string text;
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) return text;
  text.resize(static_cast<std::size_t>(st.st_size));
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

// A descriptor of its own, because the position belongs to the description.
void open_input_as(int fd) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", g_input);
  const int in = g_input >= 0 ? open(path, O_RDONLY) : open("/dev/null", O_RDONLY);
  if (in < 0 || in == fd) return;
  dup2(in, fd);
  close(in);
}

}  // namespace

void allocate_output_buffer() {
  const int own = dup(1);
  const int file = memory_file("jostle-output");
  if (own >= 0 && file >= 0) {
    dup2(file, 1);  // it depends on what it is
    std::setvbuf(stdout, nullptr, _IOFBF, 0);
    dup2(own, 1);
  }
  close(own);
  close(file);
}

Expected<bool> prepare_streams(const Options& o) {
  // Now: the program may change its directory.
  if (!o.expect_stdout.empty()) {
    auto text = read_file(o.expect_stdout, std::size_t{1} << 30);
    if (!text) return Error{text.error()};
    g_expected = new std::string(*text);
  }
  struct stat st;
  if (fstat(0, &st) == 0 && S_ISREG(st.st_mode)) {
    g_input = out_of_the_way(open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC));
  } else if (fstat(0, &st) == 0 && !isatty(0) && !S_ISCHR(st.st_mode)) {
    g_input = memory_file("jostle-stdin");
    copy_all(0, g_input);
  }
  for (int i = 0; i < 2; ++i)
    if (g_shown[i] < 0) g_shown[i] = memory_file(i == 0 ? "jostle-stdout" : "jostle-stderr");
  for (int fd = 0; fd < kOthers; ++fd) {
    g_others[fd].flags = fcntl(fd, F_GETFL);
    const bool file = g_others[fd].flags >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    g_others[fd].position = file ? lseek(fd, 0, SEEK_CUR) : -1;
  }
  return true;
}

void hand_on_streams() {
  for (const int fd : g_shown) fcntl(fd, F_SETFD, 0);
  if (g_input >= 0) open_input_as(0);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    dup2(nowhere, 1);  // what it prints before the start is not of interest
    dup2(nowhere, 2);
    close(nowhere);
  }
}

std::string shown_streams() {
  return std::to_string(g_shown[0]) + " " + std::to_string(g_shown[1]);
}

void adopt_streams(const std::string& request) {
  if (std::sscanf(request.c_str(), "%*s %*s %*s %*s %d %d", &g_shown[0], &g_shown[1]) != 2) return;
  for (const int fd : g_shown) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int open_folder() { return out_of_the_way(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)); }

void enter_streams(bool shown) {
  for (int i = 0; i < 2; ++i) {
    g_kept[i] = shown ? g_shown[i] : memory_file("jostle-output");
    fcntl(g_kept[i], F_SETFL, O_APPEND);  // empty again is then all it takes to start again
    dup2(g_kept[i], i + 1);
  }
  open_input_as(0);
  // What other processes have done to the descriptors that they share with us.
  for (int fd = 3; fd < kOthers; ++fd) {
    if (g_others[fd].flags >= 0) fcntl(fd, F_SETFL, g_others[fd].flags);
    if (g_others[fd].position >= 0) lseek(fd, g_others[fd].position, SEEK_SET);
  }
}

void rewind_streams() {
  for (int i = 0; i < 2; ++i)
    if (g_kept[i] >= 0 && (g_fresh || engine().printed(i + 1) > 0)) (void)!ftruncate(g_kept[i], 0);
  g_fresh = false;
}

void keep_unwritten_output() {
  // Nobody holds its lock any more who could go on.
  const FILE* f = stdout;
  if (!f || f->_fileno != 1 || g_kept[0] < 0 || f->_IO_write_ptr <= f->_IO_write_base) return;
  (void)!write(g_kept[0], f->_IO_write_base,
               static_cast<std::size_t>(f->_IO_write_ptr - f->_IO_write_base));
}

void check_output(const Options& o, Outcome& outcome) {
  const std::string* expected = g_expected;
  if (!expected || outcome.failure.kind != FindingKind::none) return;
  const std::string got = content(g_kept[0]);
  if (got == *expected) return;
  const std::size_t end = std::min(got.size(), expected->size());
  const auto at = static_cast<std::size_t>(
      std::mismatch(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(end), expected->begin())
          .first -
      got.begin());
  const auto line =
      1 + std::count(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  auto rest = [&](const std::string& s) {
    const std::size_t begin = at == 0 ? 0 : s.rfind('\n', at - 1) + 1;
    std::string text = s.substr(begin, std::min<std::size_t>(s.find('\n', at), begin + 60) - begin);
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 32) c = ' ';
    return begin >= s.size() ? std::string("the end") : "'" + text + "'";
  };
  Problem& p = outcome.failure;
  p = {};
  p.kind = FindingKind::assertion;
  std::snprintf(p.message, sizeof p.message,
                "the output differs from %s in line %ld: %s instead of %s", o.expect_stdout.c_str(),
                static_cast<long>(line), rest(got).c_str(), rest(*expected).c_str());
}

std::string shown_output() {
  const std::string out = content(g_shown[0]), err = content(g_shown[1]);
  std::string text;
  if (!out.empty()) text += "stdout:\n" + out + (out.back() == '\n' ? "" : "\n");
  if (!err.empty()) text += "stderr:\n" + err + (err.back() == '\n' ? "" : "\n");
  return text;
}

}  // namespace jostle::program

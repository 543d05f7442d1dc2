#include "trace/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace jostle {
namespace {

Error failed(const char* what, const std::string& path, int error) {
  return {std::string("cannot ") + what + " '" + path +
          "': " + std::generic_category().message(error)};
}

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Expected<std::string> read_file(const std::string& path, std::uint64_t limit) {
  // Without O_NONBLOCK opening a pipe that nobody writes to would wait.
  Descriptor in{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (in.fd < 0) return failed("read", path, errno);
  struct stat info;
  if (::fstat(in.fd, &info) != 0) return failed("read", path, errno);
  if (!S_ISREG(info.st_mode)) return Error{"cannot read '" + path + "': not a regular file"};

  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t n = ::read(in.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read", path, errno);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit)
      return Error{"cannot read '" + path + "': larger than the limit of " +
                   std::to_string(limit >> 20) + " MiB"};
  }
}

Expected<bool> write_file(const std::string& path, std::string_view content) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::path(path).parent_path();
  std::error_code made;
  if (!parent.empty()) fs::create_directories(parent, made);
  if (made) return failed("make the directory", parent.string(), made.value());

  // The same directory, because rename() is atomic only within one file system.
  static std::atomic<unsigned> serial{0};
  const std::string temporary =
      path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(serial++);
  int error = 0;
  {
    Descriptor out{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (out.fd < 0) return failed("write", path, errno);
    if (!write_all(out.fd, content) || ::fsync(out.fd) != 0) error = errno;
    // Some file systems report a full disk only here.
    const int closed = ::close(out.fd);
    if (closed != 0 && error == 0) error = errno;
    out.fd = -1;
  }
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return failed("write", path, error);
  }
  // The rename itself is on disk once the directory is. Not all file systems can: no error.
  Descriptor directory{
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.fd >= 0) ::fsync(directory.fd);
  return true;
}

}  // namespace jostle

// Starting a program and reading what it says: for tests that check a whole process.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern char** environ;

namespace jostle_test {

struct Child {
  int exit_code = -1;  // -1: killed by `signal`
  int signal = 0;
  std::string output;  // stdout and stderr

  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
  int times(const std::string& text) const {
    int n = 0;
    for (std::size_t at = 0; (at = output.find(text, at)) != std::string::npos; at += text.size())
      ++n;
    return n;
  }
};

// Runs argv[0] with the variables of `environment` ("NAME=value") added to ours, minus all that
// configure Jostle or GoogleTest, in the directory `in` ("" = ours).
inline Child run_child(const std::vector<std::string>& argv,
                       const std::vector<std::string>& environment = {},
                       const std::string& in = "") {
  std::vector<std::string> variables;
  for (char** e = environ; *e; ++e)
    if (std::strncmp(*e, "JOSTLE_", 7) != 0 && std::strncmp(*e, "GTEST_", 6) != 0)
      variables.emplace_back(*e);
  variables.insert(variables.end(), environment.begin(), environment.end());
  std::vector<char*> args, env;
  for (const std::string& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  for (const std::string& v : variables) env.push_back(const_cast<char*>(v.c_str()));
  args.push_back(nullptr);
  env.push_back(nullptr);

  Child child;
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return child;
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], 1);
    dup2(out[1], 2);
    if (!in.empty() && chdir(in.c_str()) != 0) _exit(126);
    execve(args[0], args.data(), env.data());
    _exit(127);
  }
  close(out[1]);
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(out[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    child.output.append(buffer, static_cast<std::size_t>(n));
  }
  close(out[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) child.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) child.signal = WTERMSIG(status);
  return child;
}

// A directory of its own, removed with its contents at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* root = std::getenv("TMPDIR");
    path_ = std::string(root ? root : "/tmp") + "/jostle-test-XXXXXX";
    if (!mkdtemp(path_.data())) path_.clear();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    if (!path_.empty()) run_child({"/bin/rm", "-rf", path_});
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace jostle_test

// Scripts that drive a server of several processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <jostle/system.hpp>
#include <set>
#include <stdexcept>

using namespace jostle::scripting;
using testing::HasSubstr;

namespace {

const jostle::Options kQuiet = {.timeout = 10, .quiet = true};

// No other test, and no other execution of this one, has the same.
std::string socket_name() { return "jostle-system-test-" + std::to_string(getpid()); }

std::string ask(const std::string& request) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", socket_name().c_str());
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  char reply[64] = {};
  if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect");
  (void)!write(s, request.data(), request.size());
  (void)!read(s, reply, sizeof reply - 1);
  close(s);
  return reply;
}

struct Bank {
  explicit Bank(int processes = 1, bool kept = false) {
    const std::vector<std::string> command = {SERVER, socket_name(), std::to_string(processes)};
    server = kept ? keep(command) : start(command);
    wait_until([this] { return server.output() == "listening\n"; });
  }
  Process server;
};

Process customer(const std::string& request) {
  // A name of the driver's: it is its pid that the socket is named after.
  return client([request, name = socket_name()] {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name.c_str());
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
    (void)!write(s, request.data(), request.size());
    char reply[64] = {};
    (void)!read(s, reply, sizeof reply - 1);
    std::fputs(reply, stdout);
  });
}

// All processes of this one's session whose command line is that of the server.
std::set<int> servers() {
  std::set<int> found;
  for (const auto& e : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(e.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream f(e.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(f)), {});
    if (line.starts_with(SERVER) && line.find(socket_name()) != std::string::npos) found.insert(pid);
  }
  return found;
}

class System : public testing::Test {
  void TearDown() override { EXPECT_TRUE(servers().empty()) << "a process was left behind"; }
};

TEST_F(System, BothGetTheMoney) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        const Process one = customer("withdraw 60"), two = customer("withdraw 60");
        const auto [a, b] = wait_for_distinct_threads<2>(in(bank.server) && enters("withdraw"));
        run_until(a, at_point("checked"));
        run_until(b, returns("withdraw"));
        run_until(a, returns("withdraw"));
        release(any);
        one.wait();
        two.wait();
        check(one.output() != "ok" || two.output() != "ok", "both got the money");
      },
      kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_EQ(r.findings[0].message, "both got the money");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

}  // namespace

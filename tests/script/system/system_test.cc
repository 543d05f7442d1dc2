// Scripts that drive a server of several processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <jostle/system.hpp>
#include <set>
#include <stdexcept>

using namespace jostle::scripting;
using testing::HasSubstr;

namespace {

const jostle::Options kQuiet = {.timeout = 10, .quiet = true};

// No other test, and no other execution of this one, has the same.
std::string socket_name() { return "jostle-system-test-" + std::to_string(getpid()); }

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

// All processes whose command line is that of the server.
std::set<int> servers(const std::string& name = socket_name()) {
  std::set<int> found;
  for (const auto& e : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(e.path().filename().c_str());
    if (pid <= 0) continue;
    std::string line(4096, 0);  // the process may go while it is looked at
    const int fd = open((e.path() / "cmdline").c_str(), O_RDONLY);
    const ssize_t n = fd < 0 ? 0 : read(fd, line.data(), line.size());
    if (fd >= 0) close(fd);
    line.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (line.find("server") != std::string::npos && line.find(name) != std::string::npos)
      found.insert(pid);
  }
  return found;
}

class System : public testing::Test {
  void TearDown() override { EXPECT_TRUE(servers().empty()) << "a process was left behind"; }
};

std::string line(int n) { return "system_test.cc:" + std::to_string(n); }

// There is money for one of them.
void check_account(const Process& one, const Process& two) {
  one.wait();
  two.wait();
  check(one.output() != "ok" || two.output() != "ok", "both got the money");
}

void both_get_the_money() {
  const Bank bank;
  const Process one = customer("withdraw 60"), two = customer("withdraw 60");
  const auto [a, b] = wait_for_distinct_threads<2>(in(bank.server) && enters("withdraw"));
  run_until(a, at_point("checked"));
  run_until(b, returns("withdraw"));
  run_until(a, returns("withdraw"));
  let_go(any);
  check_account(one, two);
}

TEST_F(System, Exactly) {
  const jostle::Result r = jostle::script_system(both_get_the_money, kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_EQ(r.findings[0].message, "both got the money");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
  EXPECT_THAT(r.report, HasSubstr("it happened 3 of 3 times"));
}

TEST_F(System, KnownFromABaseline) {
  jostle::Options o = kQuiet;
  o.baseline = testing::TempDir() + "jostle-system-baseline-" + std::to_string(getpid());
  o.update_baseline = true;
  const jostle::Result made = jostle::script_system(both_get_the_money, o);
  EXPECT_TRUE(made.ok()) << made.report;
  EXPECT_THAT(made.report, HasSubstr("1 finding added to the baseline"));
  o.update_baseline = false;
  const jostle::Result r = jostle::script_system(both_get_the_money, o);
  std::filesystem::remove(o.baseline);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_FALSE(r.complete) << "an execution failed";
  ASSERT_EQ(r.accepted.size(), 1u) << r.report;
  EXPECT_EQ(r.accepted[0].message, "both got the money");
}

// One thread in each of two processes: who is held does not accept the second connection.
TEST_F(System, ExactlyInTwoProcesses) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Process server = start({SERVER, socket_name(), "2"});
        const auto [p, q] = wait_for_distinct_threads<2>(at_point("accepting"));
        release(p);
        const Process one = customer("withdraw 60");
        wait_for_thread(p, creates);
        let_go(q);
        const Process two = customer("withdraw 60");
        const Tid b = wait_for_thread(any - p, in(server) && at_point("checked"));
        let_go(p);
        const Tid a = wait_for_thread(any - b, in(server) && enters("withdraw"));
        run_until(a, returns("withdraw"));
        run_until(b, returns("withdraw"));
        let_go(any);
        check_account(one, two);
      },
      kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].message, "both got the money");
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

// One after the other, in both orders: nothing.
TEST_F(System, InAllOrders) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        const Process one = customer("withdraw 60"), two = customer("withdraw 60");
        const auto [a, b] = wait_for_distinct_threads<2>(enters("withdraw"));
        const Tid first = choose(a, b);
        run_until(first, returns("withdraw"));
        run_until(first == a ? b : a, returns("withdraw"));
        let_go(any);
        one.wait();
        two.wait();
        check(one.output() + two.output() == "okno" || one.output() + two.output() == "nook",
              "not one of them: " + one.output() + two.output());
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete) << r.report;
  EXPECT_EQ(r.executions, 2u);
  EXPECT_EQ(r.strayed, 0u);
}

// All ways in which they interleave; what fails is replayed.
TEST_F(System, Searched) {
  const auto script = [] {
    const Bank bank;
    const Process one = customer("withdraw 60"), two = customer("withdraw 60");
    const std::vector<Tid> ts = wait_for_distinct_threads(2, enters("withdraw"));
    Threads busy(ts);
    while (busy.end() > 0) {
      const Tid t = choose_thread(busy);
      run_until(t, at_point || returns("withdraw"));
      if (returns(pending(t))) busy -= t;
    }
    let_go(any);
    check_account(one, two);
  };
  const jostle::Result r = jostle::script_system(script, kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_GT(r.executions, 1u);
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
  jostle::Options o = kQuiet;
  o.replay = r.findings[0].schedule;
  const jostle::Result again = jostle::script_system(script, o);
  ASSERT_EQ(again.findings.size(), 1u) << again.report;
  EXPECT_EQ(again.executions, 1u);
  EXPECT_EQ(again.findings[0].message, r.findings[0].message);
  std::filesystem::remove(r.findings[0].schedule);
}

TEST_F(System, KeptFromOneExecutionToTheNext) {
  std::set<int> pids;
  const jostle::Result r = jostle::script_system(
      [&] {
        const Bank bank(1, true);
        pids.insert(bank.server.pid());
        const int amount = choose(0, 1, 2);
        const Process c = customer("withdraw " + std::to_string(amount));
        wait_for_thread(any, test_starts);
        const Tid t = wait_for_thread(any, enters("withdraw"));
        run_until(t, returns("withdraw"));
        let_go(t);
        wait_for_thread(any, test_ends);
        let_go(any);
        c.wait();
        check(c.output() == "ok", c.output());
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.executions, 3u);
  EXPECT_EQ(pids.size(), 1u);
}

TEST_F(System, Values) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        customer("withdraw 1");
        const Tid a = wait_for_thread(any, writes("withdrawals"));
        check(pending(a).value() == 0, "not the first");
        check(pending(a).function() == "count", pending(a).function());
        check(in_function(a, "count") && in_function(a, "serve"), "not in count");
        // The other one waits for the lock that a has.
        customer("withdraw 2");
        const Tid b = wait_for_thread(any - a, in(bank.server) && locks("statistics_lock"));
        check(!run_until_or_blocked(b, writes("withdrawals")), "the lock was free");
        check(is_blocked(b), "not blocked");
        run_until(a, unlocks);
        let_go(a);
        check(select(b, writes("withdrawals")).value() == 1, "not the second");
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST_F(System, WhatFunctionsReturn) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        const Process one = customer("withdraw 10"), two = customer("withdraw 2000000");
        const Event e = select(any, returns("withdraw") && returned() == false);
        check(e.returned() == 0, std::to_string(e.returned()));
        one.wait();
        check(one.output() == "ok" && two.running(), "the wrong one is held");
        let_go(any);
        two.wait();
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST_F(System, Arguments) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        const Process one = customer("withdraw 10"), two = customer("withdraw 20");
        const Event e = select(any, enters("withdraw") && argument("amount") == 20);
        check(e.argument(0) == 20, std::to_string(e.argument(0)));
        // The other one may have passed; it is not held.
        one.wait();
        check(one.output() == "ok" && two.running(), "the wrong one is held");
        let_go(any);
        two.wait();
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

// --- findings ------------------------------------------------------------------------------------

jostle::Result after(const std::string& request, int processes = 1) {
  return jostle::script_system(
      [&] {
        const Bank bank(processes);
        const Process c = customer(request);
        const Tid t = wait_for_thread(any, enters("answer"));
        let_go(t);
        wait_for_thread(any, ends);
        let_go(any);
        c.wait();
        wait_until([&] { return !bank.server.running(); });
      },
      kQuiet);
}

TEST_F(System, Crash) {
  const jostle::Result r = after("crash");
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "crash");
  EXPECT_EQ(r.findings[0].message, "server: SIGSEGV in answer");
  EXPECT_THAT(r.findings[0].file, HasSubstr("server.cc"));
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

// Whichever of the processes it is: nobody waits for the workers.
TEST_F(System, CrashOfAWorker) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank(3);
        std::vector<Process> all;
        for (int i = 0; i < 6; ++i) all.push_back(customer("hang"));
        all.push_back(customer("crash"));
        wait_until([&] { return !bank.server.running(); });
      },
      kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].message, "server: SIGSEGV in answer");
}

TEST_F(System, Assertion) {
  const jostle::Result r = after("assert");
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "assertion");
  EXPECT_THAT(r.findings[0].message, HasSubstr("assertion `account->balance < 0` failed"));
}

TEST_F(System, ExitCode) {
  const jostle::Result r = after("exit 3");
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "exit-code");
  EXPECT_EQ(r.findings[0].message, "server ended with exit code 3");
}

TEST_F(System, ExitCodeThatIsExpected) {
  const jostle::Result r = jostle::script_system(
      [] { check(start({"sh", "-c", "exit 3"}).wait() == 3, "another code"); }, kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST_F(System, ExceptionOfAClient) {
  const jostle::Result r = jostle::script_system(
      [] { client([] { throw std::runtime_error("no answer"); }).wait(); }, kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "exception");
  EXPECT_THAT(r.findings[0].message, HasSubstr("no answer"));
}

TEST_F(System, ClientThatHangs) {
  jostle::Options o = kQuiet;
  o.timeout = 1;
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        customer("hang");
      },
      o);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].kind, "timeout");
}

// --- errors --------------------------------------------------------------------------------------

TEST_F(System, NeverHappens) {
  jostle::Options o = kQuiet;
  o.timeout = 2;
  int at = 0;
  const jostle::Result r = jostle::script_system(
      [&] {
        const Bank bank;
        customer("withdraw 1");
        const Tid t = wait_for_thread(any, enters("withdraw"));
        at = __LINE__ + 1;
        wait_for_thread(any - t, returns("withdraw"));
      },
      o);
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_THAT(r.error, HasSubstr(line(at) + ": the script cannot go on"));
  EXPECT_THAT(r.error, HasSubstr("is held by the script before: enter function withdraw at "
                                 "server.cc:"));
  EXPECT_THAT(r.error, HasSubstr("that did not happen within 2 seconds (option timeout)"));
  EXPECT_THAT(r.error,
              HasSubstr("accepted: the return of a function 'withdraw', by any thread but"));
}

TEST_F(System, ThreadThatHasEnded) {
  int at = 0;
  const jostle::Result r = jostle::script_system(
      [&] {
        const Bank bank;
        customer("withdraw 1");
        const Tid t = wait_for_thread(any, enters("withdraw"));
        run_until(t, ends);
        at = __LINE__ + 1;
        run_until(t, enters("withdraw"));
      },
      kQuiet);
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_THAT(r.error, HasSubstr(line(at) + ": the script cannot go on"));
  EXPECT_THAT(r.error, HasSubstr("has ended"));
}

TEST_F(System, UnknownFunction) {
  int at = 0;
  const jostle::Result r = jostle::script_system(
      [&] {
        const Bank bank;
        at = __LINE__ + 1;
        wait_for_thread(any, enters("withdrew"));
      },
      kQuiet);
  EXPECT_THAT(r.error,
              HasSubstr(line(at) + ": there is no function 'withdrew' in the programs that "
                                   "the script has started; the nearest: 'withdraw'"));
}

TEST_F(System, NotSelected) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        release(Tid(0));
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr("is released, but the script has not selected it"));
}

TEST_F(System, ScriptThrows) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank(3);
        throw std::runtime_error("oops");
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr("the script threw an exception: oops"));
}

TEST_F(System, NoSuchProgram) {
  const jostle::Result r = jostle::script_system([] { start({"./no-such-program"}); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("cannot be started: No such file or directory"));
}

TEST_F(System, NoStrategyForOthers) {
  const jostle::Result r = jostle::script_system([] { others("pct"); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("they can be free or blocked"));
}

// --- what is left behind: nothing ----------------------------------------------------------------

TEST_F(System, Daemons) {
  const jostle::Result r = jostle::script_system(
      [] {
        const Bank bank;
        customer("daemon").wait();
      },
      kQuiet);
  EXPECT_TRUE(r.ok()) << r.report;
}

TEST_F(System, DriverIsKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const std::string name = socket_name();
  const pid_t driver = fork();
  if (driver == 0) {
    jostle::script_system([&] {
      start({SERVER, name, "3"});
      wait_until([&, told = false]() mutable {
        if (!told && servers(name).size() == 3) told = write(ready[1], "x", 1) == 1;
        return false;
      });
    });
    _exit(0);
  }
  char c;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  EXPECT_EQ(servers().size(), 3u);
  kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  // Wardens notice by themselves; how long that takes is the kernel's business.
  for (int i = 0; i < 1000 && !servers().empty(); ++i) usleep(10'000);
  close(ready[0]);
  close(ready[1]);
}

// --- a program that was not built with the hooks -------------------------------------------------

TEST_F(System, PointsOnly) {
  const jostle::Result r = jostle::script_system(
      [] {
        start({PLAIN_SERVER, socket_name(), "1"});
        wait_for_thread(any, at_point("accepting"));
        let_go(any);
        const Process one = customer("withdraw 60"), two = customer("withdraw 60");
        const Tid a = wait_for_thread(any, at_point("checked"));
        const Tid b = wait_for_thread(any - a, at_point("checked"));
        run_until(b, ends);
        run_until(a, ends);
        let_go(any);
        check_account(one, two);
      },
      kQuiet);
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_EQ(r.findings[0].message, "both got the money");
}

}  // namespace

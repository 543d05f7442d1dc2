// A bank with several processes: each accepts connections on one socket and serves each in a
// thread. The account is in memory that they share; withdraw() checks first and acts later.
//
//   server SOCKET PROCESSES
//
// One request a connection: "withdraw N", "balance", "crash", "assert", "exit N", "hang", "daemon".
#include <jostle/jostle.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

struct Account {
  int balance;
};
Account* account;
std::mutex statistics_lock;
int withdrawals;

[[gnu::noinline]] bool withdraw(int amount) {
  const int before = account->balance;
  JOSTLE_POINT("checked");
  if (before < amount) return false;
  account->balance = before - amount;
  return true;
}

[[gnu::noinline]] void count() {
  const std::lock_guard guard(statistics_lock);
  ++withdrawals;
}

[[gnu::noinline]] std::string answer(const std::string& request) {
  const int n = std::atoi(request.c_str() + request.find_last_of(' ') + 1);
  if (request.starts_with("withdraw")) {
    const bool ok = withdraw(n);
    count();
    return ok ? "ok" : "no";
  }
  if (request == "balance") return std::to_string(account->balance);
  if (request == "crash") *static_cast<volatile int*>(nullptr) = 1;
  if (request == "assert") JOSTLE_ASSERT(account->balance < 0);
  if (request.starts_with("exit")) _exit(n);
  if (request == "hang") pause();
  if (request == "daemon" && fork() == 0 && setsid() > 0 && fork() == 0)
    for (;;) pause();
  return "?";
}

void serve(int connection) {
  char request[64] = {};
  if (read(connection, request, sizeof request - 1) > 0) {
    const std::string reply = answer(request);
    (void)!write(connection, reply.data(), reply.size());
  }
  close(connection);
}

[[noreturn]] void accept_all(int socket) {
  JOSTLE_POINT("accepting");
  for (;;)
    if (const int c = accept(socket, nullptr, nullptr); c >= 0) std::thread(serve, c).detach();
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  account = static_cast<Account*>(
      mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  account->balance = 100;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", argv[1]);  // no file
  const int s = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(s, 16) != 0) {
    std::perror("bind");
    return 1;
  }
  std::puts("listening");
  std::fflush(stdout);
  for (int i = 1; i < std::atoi(argv[2]); ++i)
    if (fork() == 0) accept_all(s);
  accept_all(s);
}

// Scripts for servers as they are: memcached, redis and lighttpd, built with `jostle cc`. Not part
// of the tests: tools/real-servers builds the servers and calls this.
//
//   script_real_servers FOLDER [NAME...]    FOLDER has the servers in memcached/, redis/, lighttpd/
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <jostle/system.hpp>
#include <stdexcept>

using namespace jostle::scripting;

namespace {

std::filesystem::path g_folder;
constexpr int kPort = 21300;

int connected() {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a = {};
  a.sin_family = AF_INET;
  a.sin_port = htons(kPort);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(s, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0) return s;
  close(s);
  return -1;
}

// Sends, and reads until that has come.
std::string ask(int s, const std::string& request, const std::string& end) {
  std::string reply;
  if (write(s, request.data(), request.size()) < 0) throw std::runtime_error("cannot write");
  char part[4096];
  while (reply.find(end) == std::string::npos) {
    const ssize_t n = read(s, part, sizeof part);
    if (n <= 0) throw std::runtime_error("the connection was closed after: " + reply);
    reply.append(part, static_cast<std::size_t>(n));
  }
  return reply;
}

std::string ask(const std::string& request, const std::string& end = "\r\n") {
  const int s = connected();
  if (s < 0) throw std::runtime_error("cannot connect");
  std::string reply = ask(s, request, end);
  close(s);
  return reply;
}

Process asks(const std::string& request, const std::string& end = "\r\n") {
  return client([=] { std::fputs(ask(request, end).c_str(), stdout); });
}

std::string answer(const Process& p) {
  p.wait();
  return p.output();
}

void wait_for_port() {
  wait_until([] {
    const int s = connected();
    if (s >= 0) close(s);
    return s >= 0;
  });
}

// --- memcached: two worker threads ---------------------------------------------------------------

Process memcached() {
  const Process p = start({g_folder / "memcached/memcached", "-u", "nobody", "-t", "2", "-p",
                           std::to_string(kPort), "-l", "127.0.0.1", "-U", "0"});
  wait_for_port();
  answer(asks("set n 0 0 1\r\n1\r\n"));
  return p;
}

// One thread stands in the middle of an increment; another one comes to the same item.
void two_increments() {
  memcached();
  const Process one = asks("incr n 1\r\n"), two = asks("incr n 1\r\n");
  const auto [a, b] = wait_for_distinct_threads<2>(enters("process_arithmetic_command"));
  run_until(a, enters("do_add_delta"));
  check(!run_until_or_blocked(b, enters("do_add_delta")), "both are in the item at the same time");
  run_until(a, returns("add_delta"));
  select(b, enters("do_add_delta"));
  let_go(any);
  const std::string x = answer(one), y = answer(two);
  check((x == "2\r\n" && y == "3\r\n") || (x == "3\r\n" && y == "2\r\n"), x + y);
}

// In all orders of their functions: a client that sets, one that deletes.
void set_and_delete() {
  memcached();
  const Process one = asks("set n 0 0 1\r\n7\r\n");
  const Tid a = wait_for_thread(any, enters("do_store_item"));
  const Process two = asks("delete n\r\n");
  const Tid b = wait_for_thread(any - a, enters("process_delete_command"));
  const bool set_first = choose(true, false);
  // The one who stores has the item's lock: the other one can come no further than that.
  if (!set_first) run_until_or_blocked(b, returns("process_delete_command"));
  run_until(a, returns("do_store_item"));
  let_go(any);
  check(answer(one) == "STORED\r\n", answer(one));
  check(answer(two) == "DELETED\r\n", answer(two));
  check(answer(asks("get n\r\n", "END\r\n")) == "END\r\n", "the item is still there");
}

// --- redis: a thread for what may take long, and a process that saves ----------------------------

Process redis() {
  const std::filesystem::path dump = g_folder / "redis/dump.rdb";
  std::filesystem::remove(dump);
  const Process p = start({g_folder / "redis/src/redis-server", "--port", std::to_string(kPort),
                           "--bind", "127.0.0.1", "--save", "", "--dir", g_folder / "redis",
                           "--lazyfree-lazy-user-del", "yes"});
  wait_for_port();
  return p;
}

// The value is freed by another thread, long after the key is gone.
void freed_later() {
  redis();
  std::string add = "SADD set";
  for (int i = 0; i < 1000; ++i) add += " element-" + std::to_string(i);
  answer(asks(add + "\r\n"));
  const Process remove = asks("UNLINK set\r\n");
  const Tid t = wait_for_thread(any, enters("lazyfreeFreeObject"));
  check(answer(remove) == ":1\r\n", remove.output());
  check(answer(asks("SCARD set\r\n")) == ":0\r\n", "the key is still there");
  check(answer(asks("SADD set again\r\n")) == ":1\r\n", "the new set has old elements");
  run_until(t, returns("lazyfreeFreeObject"));
  let_go(any);
  check(answer(asks("SCARD set\r\n")) == ":1\r\n", "the new set was freed");
}

// The process that saves is held before it writes the keys, while the server changes one.
void saved_as_it_was() {
  redis();
  answer(asks("SET key before-the-save\r\n"));
  asks("BGSAVE\r\n");
  const Tid saver = wait_for_thread(any, enters("rdbSaveRio"));
  check(answer(asks("SET key after-the-save-began\r\n")) == "+OK\r\n", "the server waits");
  run_until(saver, returns("rdbSaveRio"));
  let_go(any);
  wait_until([] {
    return ask("INFO persistence\r\n", "rdb_last_save_time").find("rdb_bgsave_in_progress:0") !=
           std::string::npos;
  });
  std::ifstream f(g_folder / "redis/dump.rdb", std::ios::binary);
  const std::string dump((std::istreambuf_iterator<char>(f)), {});
  check(dump.find("before-the-save") != std::string::npos, "the old value was not saved");
  check(dump.find("after-the-save-began") == std::string::npos, "the new value was saved");
}

// --- lighttpd: two worker processes --------------------------------------------------------------

Process lighttpd() {
  const std::filesystem::path folder = g_folder / "lighttpd/scripted";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "page.html") << "hello\n";
  std::ofstream(folder / "lighttpd.conf")
      << "server.document-root = \"" << folder.string() << "\"\nserver.port = " << kPort
      << "\nserver.bind = \"127.0.0.1\"\nserver.max-worker = 2\nserver.modules = ()\n"
      << "mimetype.assign = (\".html\" => \"text/html\")\n";
  const Process p = start({g_folder / "lighttpd/src/lighttpd", "-D", "-f", folder / "lighttpd.conf",
                           "-m", g_folder / "lighttpd/src/.libs"});
  wait_for_port();
  return p;
}

const char kGet[] = "GET /page.html HTTP/1.0\r\n\r\n";

// A worker that stands still does not keep the other one from serving.
void one_worker_stands() {
  lighttpd();
  const Process one = asks(kGet, "hello\n");
  const Tid a = wait_for_thread(any, enters("http_response_handler"));
  const Process two = asks(kGet, "hello\n");
  const Tid b = wait_for_thread(any - a, enters("http_response_handler"));
  run_until(b, returns("http_response_handler"));
  let_go(b);
  check(answer(two).starts_with("HTTP/1.0 200 OK"), two.output());
  check(one.running(), "answered by a worker that is held");
  let_go(a);
  check(answer(one).starts_with("HTTP/1.0 200 OK"), one.output());
}

// The server is told to end while a worker is in the middle of a request.
void ends_gracefully() {
  const Process server = lighttpd();
  const Process one = asks(kGet, "hello\n");
  const Tid a = wait_for_thread(any, enters("http_response_handler"));
  server.signal(SIGINT);
  run_until(a, returns("http_response_handler"));
  let_go(any);
  check(answer(one).starts_with("HTTP/1.0 200 OK"), one.output());
  check(server.wait() == 0, "the server did not end well");
}

struct Scripted {
  const char* server;
  const char* name;
  void (*script)();
};
constexpr Scripted kAll[] = {
    {"memcached", "two increments of one item", &two_increments},
    {"memcached", "set and delete, both orders", &set_and_delete},
    {"redis", "a set is freed later", &freed_later},
    {"redis", "a key changes while it is saved", &saved_as_it_was},
    {"lighttpd", "one worker stands, one serves", &one_worker_stands},
    {"lighttpd", "the end in the middle of a request", &ends_gracefully},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [NAME...]\n", argv[0]);
    return 2;
  }
  g_folder = std::filesystem::absolute(argv[1]);
  bool good = true;
  std::printf("%-10s %-36s %10s %8s  %s\n", "server", "script", "executions", "each s", "outcome");
  for (const Scripted& s : kAll) {
    bool wanted = argc == 2;
    for (int i = 2; i < argc; ++i) wanted |= std::strcmp(argv[i], s.server) == 0;
    if (!wanted) continue;
    const jostle::Result r = jostle::script_system(s.script, {.name = s.server});
    const char* outcome = !r.error.empty()      ? "error"
                          : !r.findings.empty() ? "finding"
                          : r.unsatisfied > 0   ? "not all schedules were possible"
                          : r.complete          ? "good"
                                                : "not complete";
    std::printf("%-10s %-36s %10llu %8.1f  %s\n", s.server, s.name,
                static_cast<unsigned long long>(r.executions),
                static_cast<double>(r.executions) / r.seconds, outcome);
    std::fflush(stdout);
    good &= r.ok() && r.complete;
  }
  return good ? 0 : 1;
}

// Bodies that behave badly, and one that does not.
#pragma once

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <jostle/jostle.hpp>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace jostle_test {

// Tells whoever started us that an execution has begun: a byte on the descriptor that
// ROBUSTNESS_STARTED names, which never blocks.
inline void started() {
  if (const char* fd = std::getenv("ROBUSTNESS_STARTED")) (void)!write(std::atoi(fd), "x", 1);
}

inline void correct() {
  started();
  std::mutex mutex;
  int n = 0;
  auto work = [&] {
    std::lock_guard lock(mutex);
    ++n;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 2);
}

inline void broken() {
  std::atomic<int> n{0};
  auto work = [&] { n.store(n.load() + 1); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 2);
}

// Out of sight: no instrumentation, no calls.
[[gnu::no_sanitize("thread"), gnu::noinline]] inline void loop_unseen() {
  for (;;) asm volatile("");
}

// What a body named `name` does, or null.
inline std::function<void()> body_named(const char* name) {
  struct Named {
    const char* name;
    void (*call)();
  };
  static const Named kBodies[] = {
      {"correct", &correct},
      {"broken", &broken},
      {"race-and-search",
       [] {
         started();
         int n = 0;
         std::thread t([&] { n = 1; });
         n = 2;
         t.join();
       }},
      {"busy", [] { started(), loop_unseen(); }},
      // Steps without end, and never the same state twice.
      {"counts",
       [] {
         started();
         static std::atomic<bool> done;
         static long n;
         while (!done) ++n;
       }},
      {"busy-thread", [] { std::thread(loop_unseen).join(); }},
      {"busy-signals-blocked",
       [] {
         sigset_t all;
         sigfillset(&all);
         pthread_sigmask(SIG_SETMASK, &all, nullptr);
         loop_unseen();
       }},
      // With a process of its own that waits for ever.
      {"forks",
       [] {
         std::thread t([] {});
         if (fork() == 0)
           for (;;) pause();
         t.join();
       }},
      {"prints",
       [] {
         for (;;) std::puts("on and on");
       }},
      {"prints-unseen",
       [] {
         for (;;) (void)!write(1, "on and on\n", 10);
       }},
      // With accesses in between at which others are let go on, and never the same state twice.
      {"prints-numbers",
       [] {
         static long n;
         for (;;) std::fprintf(stderr, "%ld\n", ++n);
       }},
      {"asks-the-kernel",
       [] {
         static long n;
         for (;;) n += getppid();
       }},
      {"allocates",
       [] {
         for (;;) std::free(std::malloc(10));
       }},
      {"allocates-much",
       [] {
         for (;;) std::free(std::malloc(5000));
       }},
      {"clock",
       [] {
         timespec ts;
         for (;;) clock_gettime(CLOCK_MONOTONIC, &ts);
       }},
      {"reads",
       [] {
         int p[2];
         char c;
         if (pipe(p) == 0) (void)!read(p[0], &c, 1);
       }},
      {"raises-sigterm", [] { std::raise(SIGTERM); }},
  };
  for (const Named& b : kBodies)
    if (std::strcmp(b.name, name) == 0) return b.call;
  return nullptr;
}

}  // namespace jostle_test

// A logger prints under its mutex; another thread logs while it holds the stream.
#include <cstdio>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("deadlock") {
  FILE* f = fopen("/dev/null", "w");
  std::mutex m;
  auto log = [&](const char* text) {
    std::lock_guard<std::mutex> lock(m);
    flockfile(f);
    fputs(text, f);
    funlockfile(f);
  };
  std::thread a([&] { log("a\n"); });
  std::thread b([&] {
    flockfile(f);
    log("b\n");
    funlockfile(f);
  });
  a.join();
  b.join();
  fclose(f);
}

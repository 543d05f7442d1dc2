// Two calls make one line, without flockfile: another thread's line falls in between.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  char* text = nullptr;
  size_t size = 0;
  FILE* f = open_memstream(&text, &size);
  auto print = [&](const char* first, const char* second) {
    fputs(first, f);
    std::this_thread::yield();
    fputs(second, f);
  };
  std::thread a(print, "a", "A\n"), b(print, "b", "B\n");
  a.join();
  b.join();
  fclose(f);
  bool whole = strcmp(text, "aA\nbB\n") == 0 || strcmp(text, "bB\naA\n") == 0;
  free(text);
  assert(whole);
}

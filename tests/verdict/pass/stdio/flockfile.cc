// flockfile keeps a line in one piece while another thread prints to the same stream.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  char* text = nullptr;
  size_t size = 0;
  FILE* f = open_memstream(&text, &size);
  assert(f);
  auto print = [&](const char* first, const char* second) {
    flockfile(f);
    fputs(first, f);
    std::this_thread::yield();
    fputs(second, f);
    funlockfile(f);
  };
  std::thread a(print, "a", "A\n"), b(print, "b", "B\n");
  a.join();
  b.join();
  assert(fclose(f) == 0);
  assert(strcmp(text, "aA\nbB\n") == 0 || strcmp(text, "bB\naA\n") == 0);
  free(text);
}

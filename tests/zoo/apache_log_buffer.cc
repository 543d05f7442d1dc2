// Apache bug 25520: two request threads append to the log buffer; the index is read, the text
// copied, and the index advanced without a lock.
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  char buffer[16];
  int used = 0;
  auto append = [&](char c) {
    int at = used;
    for (int i = 0; i < 2; ++i) buffer[at + i] = c;
    used = at + 2;
  };
  std::thread a(append, 'a'), b(append, 'b');
  a.join();
  b.join();
  assert(used == 4);
  assert(buffer[0] == buffer[1] && buffer[2] == buffer[3]);
}

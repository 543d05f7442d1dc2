// The program ends while its logger thread still works on the last message.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

std::atomic<int> written;

}  // namespace

JOSTLE_CASE("misuse") {
  written = 0;
  std::thread logger([] {
    for (int i = 0; i < 5; ++i) {
      written.fetch_add(1);
      std::this_thread::yield();
    }
  });
  logger.detach();
}

// The buffer is freed by the thread that needs none on the heap.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("heap") {
  std::atomic<bool> small{false};
  std::thread chooser([&] { small = true; });
  std::thread user([&] {
    char here[64];
    char* volatile buffer = small ? here : static_cast<char*>(std::malloc(4096));
    std::free(buffer);
  });
  chooser.join();
  user.join();
}

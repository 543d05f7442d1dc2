// Blocks of all sizes and alignments, freed by others than have allocated them: each is one.
#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::vector<void*> blocks;
  auto allocate = [&] {
    for (std::size_t size : {0, 1, 24, 25, 1000, 5000, 70'000, 140'000, 1 << 20}) {
      blocks.push_back(std::malloc(size));
      blocks.push_back(std::calloc(1, size));
      blocks.push_back(std::realloc(std::malloc(10), size + 1));
      blocks.push_back(::operator new(size));
      for (std::size_t alignment : {16, 64, 4096, 1 << 16}) {
        blocks.push_back(memalign(alignment, size));
        void* p = nullptr;
        if (posix_memalign(&p, alignment, size) == 0) blocks.push_back(p);
      }
    }
  };
  auto free = [&] {
    for (void* p : blocks) std::free(p);
    blocks.clear();
  };
  std::thread(allocate).join();
  std::thread(free).join();
  std::thread(allocate).join();
  free();
  std::shared_ptr<int[]> shared(new int[100]);
  std::thread t([shared]() mutable { shared.reset(); });
  shared.reset();
  t.join();
}

// After SCTBench fsbench (Flanagan and Godefroid's file system): the busy bit of a block is
// tested before the block's lock is taken, so two inodes get the same block.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  constexpr int kBlocks = 3;
  std::mutex lock_block[kBlocks];
  std::atomic<bool> busy[kBlocks];
  for (auto& b : busy) b = false;
  std::atomic<int> inode[2] = {-1, -1};
  auto allocate = [&](int i) {
    for (int b = 0; b < kBlocks; ++b) {
      if (busy[b].load()) continue;
      std::lock_guard<std::mutex> lock(lock_block[b]);
      busy[b].store(true);
      inode[i].store(b);
      return;
    }
  };
  std::thread t0(allocate, 0), t1(allocate, 1);
  t0.join();
  t1.join();
  assert(inode[0].load() != inode[1].load());
}

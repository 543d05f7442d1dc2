// SCTBench circular_buffer_bad: the producer advances the index before it fills the slot.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("assertion") {
  std::atomic<int> ring[3];
  for (auto& slot : ring) slot = -1;
  std::atomic<int> last{0};
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      last.store(i + 1);
      ring[i].store(i);
    }
  });
  std::thread consumer([&] {
    int available = last.load();
    for (int i = 0; i < available; ++i) assert(ring[i].load() == i);
  });
  producer.join();
  consumer.join();
}

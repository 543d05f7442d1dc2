// pbzip2_queue_freed with the consumer joined before the queue is freed.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Queue {
  std::mutex m;
  std::atomic<int> items{1};
};

}  // namespace

JOSTLE_CASE("pass") {
  auto* queue = new Queue;
  std::thread consumer([queue] {
    queue->m.lock();
    queue->items.store(0);
    queue->m.unlock();
    queue->items.fetch_add(0);
  });
  while (queue->items.load() != 0) std::this_thread::yield();
  consumer.join();
  delete queue;
}

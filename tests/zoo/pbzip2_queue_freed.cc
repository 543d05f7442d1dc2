// pbzip2: the main thread frees the queue when it is empty, while the consumer that emptied it is
// still about to use its mutex.
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

JOSTLE_CASE("heap") {
  auto* queue = new Queue;
  std::thread consumer([queue] {
    queue->m.lock();
    queue->items.store(0);
    queue->m.unlock();
    queue->items.fetch_add(0);
  });
  while (queue->items.load() != 0) std::this_thread::yield();
  queue->m.lock();
  queue->m.unlock();
  delete queue;
  consumer.join();
}

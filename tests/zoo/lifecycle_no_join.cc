// stop() tells the worker to end but does not wait; the owner then frees what the worker uses.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Service {
  std::atomic<bool> stop{false};
  int ticks = 0;
};

}  // namespace

JOSTLE_CASE("heap") {
  auto* service = new Service;
  std::thread worker([service] {
    for (int i = 0; i < 3 && !service->stop.load(); ++i) ++service->ticks;
  });
  service->stop.store(true);
  delete service;
  worker.join();
}

// A value that becomes available when its thread has ended: after its thread_local variables were
// destroyed. Waited for, polled for, and dropped before it came.
#include <future>
#include <memory>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Last {
  int* told = nullptr;
  ~Last() {
    if (told) *told = 1;
  }
};
thread_local Last last;

}  // namespace

JOSTLE_CASE("pass") {
  std::promise<int> promise;
  std::packaged_task<int()> task([] { return 4; });
  std::future<int> value = promise.get_future();
  std::future<int> other = task.get_future();
  int told = 0;
  std::thread t([&] {
    last.told = &told;
    promise.set_value_at_thread_exit(3);
    task.make_ready_at_thread_exit();
  });
  if (value.wait_for(std::chrono::seconds(0)) == std::future_status::ready) assert(told == 1);
  assert(value.get() == 3);
  assert(told == 1);
  assert(other.get() == 4);
  t.join();

  auto dropped = std::make_unique<std::promise<int>>();
  auto nobody = std::make_unique<std::future<int>>(dropped->get_future());
  std::thread u([p = std::move(*dropped)]() mutable { p.set_value_at_thread_exit(5); });
  nobody.reset();
  u.join();
}

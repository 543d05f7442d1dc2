// Mozilla bug 61369: the new thread uses mThread before its creator has stored the result of the
// creation there.
#include <atomic>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Thread {
  int state;
};

}  // namespace

JOSTLE_CASE("crash") {
  Thread object = {1};
  std::atomic<Thread*> m_thread{nullptr};
  std::thread t([&] {
    volatile Thread* self = m_thread.load();
    int state = self->state;
    (void)state;
  });
  m_thread.store(&object);
  t.join();
}

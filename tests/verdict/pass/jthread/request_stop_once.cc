// Only one of several request_stop calls returns true; everybody sees the request.
#include <atomic>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::stop_source source;
  assert(source.stop_possible() && !source.stop_requested());
  std::atomic<int> first{0};
  auto work = [&] {
    if (source.request_stop()) first.fetch_add(1);
    assert(source.stop_requested());
  };
  {
    std::jthread a(work), b(work);
  }
  assert(first.load() == 1);
}

// The vector the thread uses is destroyed before the jthread that uses it joins: members of the
// holder die in the wrong order.
#include <memory>
#include <stop_token>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Holder {
  std::jthread thread;
  std::unique_ptr<int> data = std::make_unique<int>(1);
};

}  // namespace

JOSTLE_CASE("heap") {
  Holder holder;
  int* data = holder.data.get();
  holder.thread = std::jthread([data](std::stop_token stop) {
    if (!stop.stop_requested()) *data = 2;
  });
}

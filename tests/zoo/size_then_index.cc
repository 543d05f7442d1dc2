// Iteration by size() and at(), each locked on its own: the vector shrinks in between (the
// java.util.Vector iteration bug).
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/case.h"

namespace {

struct Vector {
  std::mutex m;
  std::vector<int> items = {1, 2};
  size_t Size() {
    std::lock_guard<std::mutex> lock(m);
    return items.size();
  }
  int At(size_t i) {
    std::lock_guard<std::mutex> lock(m);
    return items.at(i);
  }
  void PopBack() {
    std::lock_guard<std::mutex> lock(m);
    items.pop_back();
  }
};

}  // namespace

JOSTLE_CASE("exception") {
  Vector vector;
  std::thread reader([&] {
    size_t n = vector.Size();
    (void)vector.At(n - 1);
  });
  vector.PopBack();
  reader.join();
}

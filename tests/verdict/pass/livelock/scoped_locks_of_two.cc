// std::scoped_lock takes two mutexes in either order: whoever does not get the second gives back
// the first. Under a fair schedule both get through.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::mutex a, b;
  std::thread t([&] { std::scoped_lock lock(a, b); });
  std::thread u([&] { std::scoped_lock lock(b, a); });
  t.join();
  u.join();
}

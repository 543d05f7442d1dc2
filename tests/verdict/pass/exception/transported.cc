// An exception_ptr carries the exception from the thread to the joiner.
#include <exception>
#include <stdexcept>
#include <thread>

#include "tests/support/case.h"

JOSTLE_CASE("pass") {
  std::exception_ptr error;
  std::thread t([&] {
    try {
      throw std::runtime_error("boom");
    } catch (...) {
      error = std::current_exception();
    }
  });
  t.join();
  bool rethrown = false;
  try {
    std::rethrow_exception(error);
  } catch (const std::runtime_error&) {
    rethrown = true;
  }
  assert(rethrown);
}

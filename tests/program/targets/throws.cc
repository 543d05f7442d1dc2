// Threads that throw, and a check that another one may come between.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static int caught;
static bool both;

static void throws() {
  std::exception_ptr kept;
  try {
    std::lock_guard lock(mutex);
    throw std::runtime_error("here");
  } catch (const std::exception&) {
    kept = std::current_exception();
    std::lock_guard lock(mutex);
    ++caught;
  }
}

static bool one_was_caught() {
  std::lock_guard lock(mutex);
  return caught == 1;
}

int main() {
  std::thread a(throws), b(throws);
  if (one_was_caught()) {
    std::lock_guard lock(mutex);
    both = caught == 2;
  }
  a.join();
  b.join();
  return both;
}

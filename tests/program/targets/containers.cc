// A list whose element is dropped while another thread still looks at it. The allocator is called
// by the library of C++.
#include <list>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::list<std::mutex> locks(1);

static void drop() {
  std::lock_guard lock(mutex);
  if (!locks.empty()) locks.pop_front();
}

static void look() {
  std::mutex* first;
  {
    std::lock_guard lock(mutex);
    if (locks.empty()) return;
    first = &locks.front();
  }
  std::lock_guard lock(*first);
}

int main() {
  std::thread a(drop), b(look);
  a.join();
  b.join();
}

// An exception that only leaves its thread in one order, and one that is always caught.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const bool caught = argc > 1 && std::string(argv[1]) == "caught";
  std::mutex mutex;
  std::vector<int> items = {1};
  const auto take = [&] {
    bool any = false;
    {
      const std::lock_guard lock(mutex);
      any = !items.empty();
    }
    if (!any) return;
    const std::lock_guard lock(mutex);
    try {
      if (items.empty()) throw std::out_of_range("nothing is left");
      items.pop_back();
    } catch (const std::exception&) {
      if (!caught) throw;
    }
  };
  std::thread first(take), second(take);
  first.join();
  second.join();
}

// A small program without a bug: three threads, a few hundred operations, some memory, some output.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex g_mutex;
std::condition_variable g_changed;
std::deque<std::string> g_orders;
bool g_closed = false;
int g_delivered = 0;

void take_orders(int n) {
  for (int i = 0; i < n; ++i) {
    std::string order = "order number " + std::to_string(i);
    const std::lock_guard lock(g_mutex);
    g_orders.push_back(std::move(order));
    g_changed.notify_one();
  }
  const std::lock_guard lock(g_mutex);
  g_closed = true;
  g_changed.notify_all();
}

void deliver() {
  for (;;) {
    std::unique_lock lock(g_mutex);
    g_changed.wait(lock, [] { return !g_orders.empty() || g_closed; });
    if (g_orders.empty()) return;
    g_delivered += static_cast<int>(!g_orders.front().empty());
    g_orders.pop_front();
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(take_orders, 25);
  threads.emplace_back(deliver);
  threads.emplace_back(deliver);
  for (std::thread& t : threads) t.join();
  std::printf("delivered: %d\n", g_delivered);
  return g_delivered == 25 ? 0 : 1;
}

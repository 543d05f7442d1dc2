#include "tests/cover/programs.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace programs {
namespace {

// The second paper's Figure 2.
void two_sections() {
  std::mutex m;
  std::thread a([&] {
    m.lock();
    m.unlock();
    m.lock();
    m.unlock();
  });
  std::thread b([&] {
    m.lock();
    m.unlock();
    m.lock();
    m.unlock();
  });
  a.join();
  b.join();
}

// Each step is guarded, the two together are not.
void account() {
  std::mutex m;
  int balance = 10;
  const auto withdraw = [&](int n) {
    m.lock();
    const int seen = balance;
    m.unlock();
    m.lock();
    balance = seen - n;
    m.unlock();
  };
  std::thread a([&] { withdraw(1); });
  std::thread b([&] {
    m.lock();
    balance = balance + 5;
    m.unlock();
  });
  a.join();
  b.join();
}

void counters() {
  std::atomic<int> x{0}, y{0};
  std::thread a([&] {
    x.store(1);
    y.fetch_add(1);
    x.load();
  });
  std::thread b([&] {
    y.store(2);
    x.fetch_add(3);
    y.load();
  });
  a.join();
  b.join();
}

// Maple's Figure 10: the branch is taken only after the other has gone first.
void publication() {
  std::mutex m;
  bool ready = false;
  std::atomic<int> data{0};
  std::thread a([&] {
    data.store(1);
    m.lock();
    ready = true;
    m.unlock();
    data.store(2);
  });
  std::thread b([&] {
    m.lock();
    const bool seen = ready;
    m.unlock();
    if (seen) data.load();
  });
  a.join();
  b.join();
}

void barrier() {
  pthread_barrier_t all;
  pthread_barrier_init(&all, nullptr, 2);
  std::atomic<int> x{0}, y{0};
  std::thread a([&] {
    x.store(1);
    pthread_barrier_wait(&all);
    y.store(1);
  });
  std::thread b([&] {
    x.store(2);
    pthread_barrier_wait(&all);
    y.load();
    x.load();
  });
  a.join();
  b.join();
  pthread_barrier_destroy(&all);
}

void hand_over() {
  std::mutex m;
  std::condition_variable c;
  int items = 0;
  std::thread consumer([&] {
    std::unique_lock lock(m);
    while (items == 0) c.wait(lock);
    --items;
  });
  std::thread producer([&] {
    {
      const std::lock_guard lock(m);
      ++items;
    }
    c.notify_one();
    const std::lock_guard lock(m);
    items += 0;
  });
  consumer.join();
  producer.join();
}

void three_threads() {
  std::atomic<int> x{0};
  std::mutex m;
  int shared = 0;
  std::thread a([&] {
    x.store(1);
    const std::lock_guard lock(m);
    ++shared;
  });
  std::thread b([&] {
    x.exchange(2);
    const std::lock_guard lock(m);
    shared *= 2;
  });
  std::thread c([&] { x.load(); });
  a.join();
  b.join();
  c.join();
}

void try_and_swap() {
  std::mutex m;
  std::atomic<int> x{0};
  std::thread a([&] {
    if (m.try_lock()) {
      x.store(1);
      m.unlock();
    }
    int zero = 0;
    x.compare_exchange_strong(zero, 7);
  });
  std::thread b([&] {
    m.lock();
    x.load();
    m.unlock();
    x.store(0);
  });
  a.join();
  b.join();
}

constexpr Program kAll[] = {
    {"two_sections", &two_sections},   {"account", &account},           {"counters", &counters},
    {"publication", &publication},     {"barrier", &barrier},           {"hand_over", &hand_over},
    {"three_threads", &three_threads}, {"try_and_swap", &try_and_swap},
};

}  // namespace

std::span<const Program> all() { return kAll; }

}  // namespace programs

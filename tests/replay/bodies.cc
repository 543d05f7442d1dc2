#include "tests/replay/bodies.h"

#include <jostle/jostle.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace jostle_test {
namespace {

// A queue of heap blocks, two producers, two consumers, condition variables.
void queue() {
  struct Queue {
    std::mutex m;
    std::condition_variable changed;
    std::deque<std::unique_ptr<std::string>> items;
  };
  auto q = std::make_unique<Queue>();
  auto produce = [&q](int id) {
    for (int i = 0; i < 3; ++i) {
      auto item = std::make_unique<std::string>(std::to_string(id * 10 + i) + std::string(40, '.'));
      std::lock_guard lock(q->m);
      q->items.push_back(std::move(item));
      q->changed.notify_one();
    }
  };
  std::atomic<int> taken{0};
  auto consume = [&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock lock(q->m);
      q->changed.wait(lock, [&] { return !q->items.empty(); });
      taken += static_cast<int>(q->items.front()->size() > 40);
      q->items.pop_front();
    }
  };
  std::thread a(produce, 1), b(produce, 2), c(consume), d(consume);
  for (std::thread* t : {&a, &b, &c, &d}) t->join();
  JOSTLE_ASSERT(taken == 6);
}

// Timed waits, sleeps, weak compare-exchange, shared locks.
void timers() {
  std::mutex m;
  std::condition_variable c;
  std::shared_mutex rw;
  std::atomic<int> n{0};
  bool set = false;
  std::thread a([&] {
    std::unique_lock lock(m);
    c.wait_for(lock, std::chrono::milliseconds(5), [&] { return set; });
    int v = n.load();
    while (!n.compare_exchange_weak(v, v + 1)) {
    }
  });
  std::thread b([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::shared_lock lock(rw);
    int v = n.load();
    while (!n.compare_exchange_weak(v, v + 1)) {
    }
  });
  {
    std::lock_guard lock(m);
    set = true;
  }
  c.notify_all();
  {
    std::unique_lock lock(rw);
    ++n;
  }
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 3);
}

// Locks in the heap, chosen by address: the order in a map of pointers must not matter.
void heap_locks() {
  struct Account {
    std::mutex m;
    int balance = 100;
  };
  std::vector<std::unique_ptr<Account>> accounts;
  for (int i = 0; i < 3; ++i) accounts.push_back(std::make_unique<Account>());
  auto transfer = [&](std::size_t from, std::size_t to) {
    std::scoped_lock lock(accounts[from]->m, accounts[to]->m);
    accounts[from]->balance -= 10;
    accounts[to]->balance += 10;
  };
  std::thread a([&] { transfer(0, 1), transfer(1, 2); }),
      b([&] { transfer(1, 0), transfer(2, 1); });
  transfer(2, 0);
  a.join();
  b.join();
  int sum = 0;
  for (auto& x : accounts) sum += x->balance;
  JOSTLE_ASSERT(sum == 300);
}

// A data race: plain accesses that become scheduling points once they were seen.
void race() {
  int balance = 0;
  auto deposit = [&] { balance = balance + 1; };
  std::thread a(deposit), b(deposit);
  a.join();
  b.join();
}

// Fails only in some schedules, and only after several switches.
void rare() {
  std::atomic<int> x{0}, y{0};
  int r1 = 0, r2 = 0;
  std::thread a([&] {
    x = 1;
    r1 = y;
    x = 2;
  });
  std::thread b([&] {
    y = 1;
    r2 = x;
    if (r2 == 1) r2 = x + 10;
  });
  a.join();
  b.join();
  JOSTLE_ASSERT(!(r1 == 1 && r2 == 12));
}

void deadlock() {
  auto a = std::make_unique<std::mutex>(), b = std::make_unique<std::mutex>();
  std::thread t([&] {
    std::lock_guard x(*a);
    std::lock_guard y(*b);
  });
  {
    std::lock_guard y(*b);
    std::lock_guard x(*a);
  }
  t.join();
}

void crash() {
  std::atomic<int*> p{nullptr};
  int value = 1;
  std::thread t([&] { p = &value; });
  // The check and the use are two loads.
  if (p.load() == nullptr) {
    if (p.load() != nullptr) *static_cast<volatile int*>(nullptr) = 1;
  }
  t.join();
}

// The environment's size moves the stack and, through getenv copies, the heap: neither may
// change the schedule.
void environment() {
  std::map<std::string, std::string> copies;
  for (const char* name : {"PATH", "HOME", "JOSTLE_TEST_PADDING"})
    if (const char* v = std::getenv(name)) copies[name] = v;
  std::mutex on_stack;
  auto on_heap = std::make_unique<std::mutex>();
  int n = 0;
  auto work = [&](bool heap_first) {
    std::mutex& first = heap_first ? *on_heap : on_stack;
    {
      std::lock_guard lock(first);
    }
    std::scoped_lock lock(on_stack, *on_heap);
    ++n;
  };
  std::thread a(work, true), b(work, false);
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 2);
}

void lost_update() {
  std::atomic<int> n{0};
  auto work = [&] { n.store(n.load() + 1); };
  std::thread a(work), b(work);
  a.join();
  b.join();
  JOSTLE_ASSERT(n == 2);
}

}  // namespace

const Body kBodies[] = {
    {"queue", "", &queue},
    {"timers", "", &timers},
    {"heap_locks", "", &heap_locks},
    {"environment", "", &environment},
    {"race", "race", &race},
    {"rare", "assertion", &rare},
    {"deadlock", "deadlock", &deadlock},
    {"crash", "crash", &crash},
    {"lost_update", "assertion", &lost_update},
};
const int kBodyCount = sizeof kBodies / sizeof *kBodies;

}  // namespace jostle_test

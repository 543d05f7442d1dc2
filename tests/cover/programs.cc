#include "tests/cover/programs.h"

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
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

// A buffer of one, and a condition for either side.
void buffer_of_one() {
  std::mutex m;
  std::condition_variable full, empty;
  bool is_full = false;
  int slot = 0, sum = 0;
  std::thread producer([&] {
    for (int i = 1; i <= 2; ++i) {
      std::unique_lock lock(m);
      while (is_full) empty.wait(lock);
      slot = i;
      is_full = true;
      full.notify_one();
    }
  });
  std::thread consumer([&] {
    for (int i = 1; i <= 2; ++i) {
      std::unique_lock lock(m);
      while (!is_full) full.wait(lock);
      sum += slot;
      is_full = false;
      empty.notify_one();
    }
  });
  producer.join();
  consumer.join();
}

// Two wait, and are woken together.
void start_signal() {
  std::mutex m;
  std::condition_variable c;
  bool go = false;
  std::atomic<int> first{0};
  const auto wait = [&](int who) {
    {
      std::unique_lock lock(m);
      while (!go) c.wait(lock);
    }
    int nobody = 0;
    first.compare_exchange_strong(nobody, who);
  };
  std::thread a([&] { wait(1); });
  {
    const std::lock_guard lock(m);
    go = true;
  }
  c.notify_all();
  wait(2);
  a.join();
}

// Waits in vain if the other is late.
void impatient() {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  std::atomic<int> late{0};
  std::thread a([&] {
    std::unique_lock lock(m);
    if (!c.wait_for(lock, std::chrono::seconds(1), [&] { return ready; })) late.store(1);
  });
  std::thread b([&] {
    {
      const std::lock_guard lock(m);
      ready = true;
    }
    c.notify_one();
    late.load();
  });
  a.join();
  b.join();
}

void readers_and_a_writer() {
  std::shared_mutex m;
  int value = 0;
  std::thread reader([&] {
    const std::shared_lock lock(m);
    (void)*const_cast<volatile int*>(&value);
  });
  std::thread writer([&] {
    const std::lock_guard lock(m);
    ++value;
  });
  {
    const std::shared_lock lock(m);
    (void)*const_cast<volatile int*>(&value);
  }
  reader.join();
  writer.join();
}

// Looks under the one lock, writes under the other, which is not the same.
void not_an_upgrade() {
  std::shared_mutex m;
  int count = 0;
  const auto add = [&] {
    int seen = 0;
    {
      const std::shared_lock lock(m);
      seen = count;
    }
    const std::lock_guard lock(m);
    count = seen + 1;
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
}

// Back and forth: each has something to do while the other is not there.
void ping_pong() {
  sem_t ping, pong;
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  int ball = 0;
  std::atomic<int> idle{0};
  std::thread a([&] {
    ++ball;
    sem_post(&ping);
    idle.fetch_add(1);
    sem_wait(&pong);
    ++ball;
  });
  std::thread b([&] {
    idle.load();
    sem_wait(&ping);
    ball *= 2;
    sem_post(&pong);
    idle.load();
  });
  a.join();
  b.join();
  sem_destroy(&ping);
  sem_destroy(&pong);
}

// Who does not get the one there is does without.
void one_of_a_kind() {
  sem_t free;
  sem_init(&free, 0, 1);
  std::atomic<int> used{0}, without{0};
  const auto use = [&] {
    if (sem_trywait(&free) == 0) {
      used.fetch_add(1);
      sem_post(&free);
    } else {
      without.fetch_add(used.load());
    }
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
  sem_destroy(&free);
}

// What is written in one phase is read in the next.
void two_phases() {
  pthread_barrier_t all;
  pthread_barrier_init(&all, nullptr, 2);
  std::atomic<int> cell[2];
  cell[0] = cell[1] = 1;
  const auto act = [&](int own) {
    const int other = cell[1 - own].load();
    pthread_barrier_wait(&all);
    cell[own].store(other + 1);
    pthread_barrier_wait(&all);
    cell[1 - own].load();
  };
  std::thread a([&] { act(0); });
  std::thread b([&] { act(1); });
  a.join();
  b.join();
  pthread_barrier_destroy(&all);
}

// A block of the heap changes hands, and is freed by whoever comes second.
void handed_over() {
  struct Message {
    int text = 0;
    std::atomic<int> owners{2};
  };
  std::atomic<Message*> post{nullptr};
  const auto drop = [](Message* m) {
    if (m->owners.fetch_sub(1) == 1) delete m;
  };
  std::thread sender([&] {
    auto* m = new Message;
    m->text = 1;
    post.store(m);
    drop(m);
  });
  std::thread receiver([&] {
    for (int i = 0; i < 2; ++i)
      if (Message* m = post.exchange(nullptr)) {
        m->text = 2;
        drop(m);
      }
  });
  sender.join();
  receiver.join();
  if (Message* m = post.load()) drop(m);
}

// A node is pushed by compare-exchange; all that are there are taken at once.
void stack_of_nodes() {
  struct Node {
    Node* next;
    int value;
  };
  std::atomic<Node*> head{nullptr};
  const auto push = [&](int v) {
    auto* n = new Node{head.load(), v};
    while (!head.compare_exchange_strong(n->next, n)) {
    }
  };
  const auto take = [&] {
    for (Node* n = head.exchange(nullptr); n;) {
      Node* next = n->next;
      delete n;
      n = next;
    }
  };
  std::thread a([&] { push(1); });
  std::thread b([&] { take(); });
  a.join();
  b.join();
  take();
}

// Made by whoever needs it first.
void made_once() {
  std::once_flag flag;
  int* made = nullptr;
  std::atomic<int> uses{0};
  const auto use = [&] {
    std::call_once(flag, [&] { made = new int(1); });
    uses.load();
    uses.fetch_add(*made);
  };
  std::thread a(use), b(use);
  a.join();
  b.join();
  delete made;
}

// Peterson's: each gives way to the other, a few times.
void after_you() {
  std::atomic<bool> wants[2];
  wants[0] = wants[1] = false;
  std::atomic<int> turn{0};
  int inside = 0;
  const auto enter = [&](int own) {
    wants[own].store(true);
    turn.store(1 - own);
    if (wants[1 - own].load() && turn.load() == 1 - own) {
      wants[own].store(false);
      return;
    }
    ++inside;
    wants[own].store(false);
  };
  std::thread a([&] { enter(0); });
  std::thread b([&] { enter(1); });
  a.join();
  b.join();
}

constexpr Program kAll[] = {
    {"two_sections", &two_sections},
    {"account", &account},
    {"counters", &counters},
    {"publication", &publication},
    {"barrier", &barrier},
    {"hand_over", &hand_over},
    {"three_threads", &three_threads},
    {"try_and_swap", &try_and_swap},
    {"buffer_of_one", &buffer_of_one},
    {"start_signal", &start_signal},
    {"impatient", &impatient},
    {"readers_and_a_writer", &readers_and_a_writer},
    {"not_an_upgrade", &not_an_upgrade},
    {"ping_pong", &ping_pong},
    {"one_of_a_kind", &one_of_a_kind},
    {"two_phases", &two_phases},
    {"handed_over", &handed_over, true},
    {"stack_of_nodes", &stack_of_nodes, true},
    {"made_once", &made_once, true},
    {"after_you", &after_you},
};

}  // namespace

std::span<const Program> all() { return kAll; }

}  // namespace programs

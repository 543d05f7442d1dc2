#include "benchmarks/instrumented/memo_subjects.h"

#include <jostle/jostle.h>

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <thread>

namespace jostle_bench {
namespace {

void on_threads(const Input& input, const std::function<void(std::uint8_t)>& act) {
  std::vector<std::thread> threads;
  for (const auto& words : input)
    threads.emplace_back([&] {
      for (const std::uint8_t w : words) act(w);
    });
  for (std::thread& t : threads) t.join();
}

// Keys in shards with a lock each, and a count of all. Rare: clear().
class Store {
 public:
  explicit Store(bool broken) : broken_(broken) {}

  void put(int key) {
    Shard& s = shards_[static_cast<std::size_t>(key) % 2];
    const std::lock_guard lock(s.mutex);
    if (s.has[static_cast<std::size_t>(key)]) return;
    s.has[static_cast<std::size_t>(key)] = true;
    ++s.count;
    add(1);
  }
  void erase(int key) {
    Shard& s = shards_[static_cast<std::size_t>(key) % 2];
    const std::lock_guard lock(s.mutex);
    if (!s.has[static_cast<std::size_t>(key)]) return;
    s.has[static_cast<std::size_t>(key)] = false;
    --s.count;
    add(-1);
  }
  bool get(int key) {
    Shard& s = shards_[static_cast<std::size_t>(key) % 2];
    const std::lock_guard lock(s.mutex);
    return s.has[static_cast<std::size_t>(key)];
  }
  void clear() {
    for (Shard& s : shards_) {
      int removed = 0;
      {
        const std::lock_guard lock(s.mutex);
        removed = s.count;
        if (!broken_) empty(s);
      }
      if (broken_) {
        const std::lock_guard lock(s.mutex);  // what came in between is removed, but not counted
        empty(s);
      }
      add(-removed);
    }
  }
  bool consistent() {
    int n = 0;
    for (const Shard& s : shards_) n += s.count;
    return n == total_;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::array<bool, 8> has = {};
    int count = 0;
  };
  static void empty(Shard& s) {
    s.has.fill(false);
    s.count = 0;
  }
  void add(int n) {
    const std::lock_guard lock(total_mutex_);
    total_ += n;
  }
  const bool broken_;
  std::array<Shard, 2> shards_;
  std::mutex total_mutex_;
  int total_ = 0;
};

void store(const Input& input, bool broken) {
  Store s(broken);
  on_threads(input, [&](std::uint8_t w) {
    if (w == kRare)
      s.clear();
    else if (w % 3 == 0)
      s.erase(w % 8);
    else if (w % 3 == 1)
      s.put(w % 8);
    else
      s.get(w % 8);
  });
  JOSTLE_ASSERT(s.consistent());
}

// Jobs on two queues; who finds the own one empty takes from the other. Rare: all are moved.
class Pool {
 public:
  explicit Pool(bool broken) : broken_(broken) {}

  void submit(std::size_t to) {
    const std::lock_guard lock(queues_[to].mutex);
    ++queues_[to].jobs;
    const std::lock_guard count(mutex_);
    ++pending_;
  }
  void work(std::size_t at) {
    if (!take(at)) take(1 - at);
  }
  void move_all(std::size_t from) {
    // In one order, whoever moves where.
    Queue& a = queues_[broken_ ? from : 0];
    Queue& b = queues_[broken_ ? 1 - from : 1];
    const std::lock_guard first(a.mutex);
    const std::lock_guard second(b.mutex);
    queues_[1 - from].jobs += queues_[from].jobs;
    queues_[from].jobs = 0;
  }
  void finish() {
    while (take(0) || take(1)) {
    }
    JOSTLE_ASSERT(pending_ == 0);
  }

 private:
  struct Queue {
    std::mutex mutex;
    int jobs = 0;
  };
  bool take(std::size_t at) {
    {
      const std::lock_guard lock(queues_[at].mutex);
      if (queues_[at].jobs == 0) return false;
      --queues_[at].jobs;
    }
    const std::lock_guard count(mutex_);
    --pending_;
    return true;
  }
  const bool broken_;
  Queue queues_[2];
  std::mutex mutex_;
  int pending_ = 0;
};

void pool(const Input& input, bool broken) {
  Pool p(broken);
  on_threads(input, [&](std::uint8_t w) {
    if (w == kRare) {
      p.move_all(1);
    } else if (w % 4 == 0) {
      p.move_all(0);
    } else if (w % 4 == 1) {
      p.work(w % 2);
    } else {
      p.submit(w % 2);
    }
  });
  p.finish();
}

// Lines are collected in a buffer and written out in one go. Rare: the file is changed.
class Log {
 public:
  explicit Log(bool broken) : broken_(broken) {}

  void line() {
    bool full = false;
    {
      const std::lock_guard lock(buffer_mutex_);
      ++buffered_;
      ++lines_;
      full = buffered_ >= 2;
    }
    if (full) flush();
  }
  void flush() {
    const std::lock_guard file(file_mutex_);
    int n = 0;
    {
      const std::lock_guard lock(buffer_mutex_);
      n = buffered_;
      buffered_ = 0;
    }
    if (!closed_) written_ += n;
  }
  int size() {
    const std::lock_guard file(file_mutex_);
    return written_;
  }
  void rotate() {
    {
      const std::lock_guard file(file_mutex_);
      if (broken_)
        closed_ = true;  // until the next one is open, and the lock is not held that long
      ++files_;
    }
    const std::lock_guard file(file_mutex_);
    closed_ = false;
  }
  bool complete() {
    flush();
    return written_ == lines_;
  }

 private:
  const bool broken_;
  std::mutex file_mutex_, buffer_mutex_;
  int buffered_ = 0, lines_ = 0, written_ = 0, files_ = 0;
  bool closed_ = false;
};

void log(const Input& input, bool broken) {
  Log l(broken);
  on_threads(input, [&](std::uint8_t w) {
    if (w == kRare)
      l.rotate();
    else if (w % 4 == 0)
      l.flush();
    else if (w % 4 == 1)
      l.size();
    else
      l.line();
  });
  JOSTLE_ASSERT(l.complete());
}

// Accounts with a lock each, locked in order. Rare: interest, by a read and a write.
class Bank {
 public:
  explicit Bank(bool broken) : broken_(broken) { balance_.fill(10); }

  void transfer(std::size_t from, std::size_t to) {
    if (from == to) return;
    const std::lock_guard first(mutex_[std::min(from, to)]);
    const std::lock_guard second(mutex_[std::max(from, to)]);
    if (balance_[from] == 0) return;
    --balance_[from];
    ++balance_[to];
  }
  int look(std::size_t at) {
    const std::lock_guard lock(mutex_[at]);
    return balance_[at];
  }
  void interest(std::size_t at) {
    if (broken_) {
      const int now = look(at);
      const std::lock_guard lock(mutex_[at]);
      balance_[at] = now + 1;
    } else {
      const std::lock_guard lock(mutex_[at]);
      ++balance_[at];
    }
    const std::lock_guard lock(paid_mutex_);
    ++paid_;
  }
  bool balanced() {
    int all = 0;
    for (const int b : balance_) all += b;
    return all == 30 + paid_;
  }

 private:
  const bool broken_;
  std::array<std::mutex, 3> mutex_;
  std::array<int, 3> balance_;
  std::mutex paid_mutex_;
  int paid_ = 0;
};

void bank(const Input& input, bool broken) {
  Bank b(broken);
  on_threads(input, [&](std::uint8_t w) {
    if (w == kRare)
      b.interest(1);
    else if (w % 4 == 0)
      b.look(w % 3);
    else
      b.transfer(w % 3, (w / 3u) % 3);
  });
  JOSTLE_ASSERT(b.balanced());
}

constexpr InputSubject kSubjects[] = {
    {"store", "clear() counts, then removes", &store},
    {"pool", "two that move jobs in opposite directions", &pool},
    {"log", "lines are dropped while the file is changed", &log},
    {"bank", "interest on a balance that has changed", &bank},
};

}  // namespace

std::span<const InputSubject> input_subjects() { return kSubjects; }

}  // namespace jostle_bench

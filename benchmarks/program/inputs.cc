// Programs that do what their input says, for the study of the memo. Each has bugs in things that
// only words from 250 on ask for, a bug to a word.
//
//     jostle_bench_inputs store 12,7,255 9,200     one list of words for each thread
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using Input = std::vector<std::vector<std::uint8_t>>;
void check(bool good) {
  if (!good) std::abort();
}

void on_threads(const Input& input, const std::function<void(std::uint8_t)>& act) {
  std::vector<std::thread> threads;
  for (const auto& words : input)
    threads.emplace_back([&] {
      for (const std::uint8_t w : words) act(w);
    });
  for (std::thread& t : threads) t.join();
}

// Keys in shards with a lock each, and a count of all.
class Store {
 public:
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
      }
      {
        const std::lock_guard lock(s.mutex);  // the bug: what came in between is not counted
        s.has.fill(false);
        s.count = 0;
      }
      add(-removed);
    }
  }
  void put_if_absent(int key) {
    if (get(key)) return;
    Shard& s = shards_[static_cast<std::size_t>(key) % 2];
    const std::lock_guard lock(s.mutex);  // the bug: it may be there by now
    s.has[static_cast<std::size_t>(key)] = true;
    ++s.count;
    add(1);
  }
  void erase_if_there(int key) {
    if (!get(key)) return;
    Shard& s = shards_[static_cast<std::size_t>(key) % 2];
    const std::lock_guard lock(s.mutex);  // the bug: it may be gone by now
    s.has[static_cast<std::size_t>(key)] = false;
    --s.count;
    add(-1);
  }
  void count_again() {
    int n = 0;
    for (Shard& s : shards_) {
      const std::lock_guard lock(s.mutex);
      n += s.count;
    }
    const std::lock_guard lock(total_mutex_);  // the bug: there may be more by now
    total_ = n;
  }
  bool consistent() {
    int n = 0;
    for (const Shard& s : shards_) {
      n += s.count;
      if (std::count(s.has.begin(), s.has.end(), true) != s.count) return false;
    }
    return n == total_;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::array<bool, 8> has = {};
    int count = 0;
  };
  void add(int n) {
    const std::lock_guard lock(total_mutex_);
    total_ += n;
  }
  std::array<Shard, 2> shards_;
  std::mutex total_mutex_;
  int total_ = 0;
};

void store(const Input& input) {
  Store s;
  on_threads(input, [&](std::uint8_t w) {
    if (w == 255)
      s.clear();
    else if (w == 254)
      s.put_if_absent(1);
    else if (w == 253)
      s.put(1), s.erase_if_there(1);
    else if (w == 252)
      s.count_again();
    else if (w % 3 == 0)
      s.erase(w % 8);
    else if (w % 3 == 1)
      s.put(w % 8);
    else
      s.get(w % 8);
  });
  check(s.consistent());
}

// Jobs on two queues; who finds the own one empty takes from the other.
class Pool {
 public:
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
    // The bug: in the other order if it is the other queue.
    const std::lock_guard first(queues_[from].mutex);
    const std::lock_guard second(queues_[1 - from].mutex);
    queues_[1 - from].jobs += queues_[from].jobs;
    queues_[from].jobs = 0;
  }
  void share() {
    int jobs = 0;
    for (Queue& q : queues_) {
      const std::lock_guard lock(q.mutex);
      jobs += q.jobs;
    }
    for (std::size_t at : {0u, 1u}) {
      const std::lock_guard lock(queues_[at].mutex);  // the bug: they may have changed
      queues_[at].jobs = at == 0 ? jobs / 2 : jobs - jobs / 2;
    }
  }
  void cancel(std::size_t at) {
    {
      const std::lock_guard lock(queues_[at].mutex);
      if (queues_[at].jobs == 0) return;
    }
    {
      const std::lock_guard lock(queues_[at].mutex);  // the bug: there may be none by now
      --queues_[at].jobs;
      check(queues_[at].jobs >= 0);
    }
    const std::lock_guard count(mutex_);
    --pending_;
  }
  void finish() {
    while (take(0) || take(1)) {
    }
    check(pending_ == 0);
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
  Queue queues_[2];
  std::mutex mutex_;
  int pending_ = 0;
};

void pool(const Input& input) {
  Pool p;
  on_threads(input, [&](std::uint8_t w) {
    if (w == 255) {
      p.move_all(1);
    } else if (w == 254) {
      p.share();
    } else if (w == 253) {
      p.submit(1), p.cancel(1);
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

// Lines are collected in a buffer and written out in one go.
class Log {
 public:
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
      closed_ = true;  // the bug: until the next one is open, and the lock is not held so long
      ++files_;
    }
    const std::lock_guard file(file_mutex_);
    closed_ = false;
  }
  void drain() {
    int n = 0;
    {
      const std::lock_guard lock(buffer_mutex_);
      n = buffered_;
    }
    {
      const std::lock_guard file(file_mutex_);
      written_ += n;
    }
    const std::lock_guard lock(buffer_mutex_);  // the bug: there may be more by now
    buffered_ = 0;
  }
  void take_back() {
    const int n = size();
    {
      const std::lock_guard lock(buffer_mutex_);
      ++lines_;
    }
    const std::lock_guard file(file_mutex_);  // the bug: others may have written meanwhile
    written_ = n + 1;
  }
  bool complete() {
    flush();
    return written_ == lines_;
  }

 private:
  std::mutex file_mutex_, buffer_mutex_;
  int buffered_ = 0, lines_ = 0, written_ = 0, files_ = 0;
  bool closed_ = false;
};

void log(const Input& input) {
  Log l;
  on_threads(input, [&](std::uint8_t w) {
    if (w == 255)
      l.rotate();
    else if (w == 254)
      l.drain();
    else if (w == 253)
      l.take_back();
    else if (w % 4 == 0)
      l.flush();
    else if (w % 4 == 1)
      l.size();
    else
      l.line();
  });
  check(l.complete());
}

// Accounts with a lock each, locked in order.
class Bank {
 public:
  Bank() { balance_.fill(10); }

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
    const int now = look(at);
    {
      const std::lock_guard lock(mutex_[at]);  // the bug: it may have changed
      balance_[at] = now + 1;
    }
    const std::lock_guard lock(paid_mutex_);
    ++paid_;
  }
  void empty(std::size_t at) {
    const int now = look(at);
    {
      const std::lock_guard lock(mutex_[at]);  // the bug: it may have changed
      balance_[at] = 0;
    }
    const std::lock_guard lock(paid_mutex_);
    paid_ -= now;
  }
  void audit() {
    for (std::mutex& m : mutex_) m.lock();
    check(balance_[0] + balance_[1] + balance_[2] == 30);
    for (std::mutex& m : mutex_) m.unlock();
  }
  void give(std::size_t from, std::size_t to) {
    {
      const std::lock_guard lock(mutex_[from]);
      --balance_[from];
    }
    const std::lock_guard lock(mutex_[to]);  // the bug: in between, there is less than there should
    ++balance_[to];
  }
  void swap(std::size_t one, std::size_t other) {
    const std::lock_guard first(mutex_[one]);  // the bug: in no order
    const std::lock_guard second(mutex_[other]);
    std::swap(balance_[one], balance_[other]);
  }
  bool balanced() {
    int all = 0;
    for (const int b : balance_) all += b;
    return all == 30 + paid_;
  }

 private:
  std::array<std::mutex, 3> mutex_;
  std::array<int, 3> balance_;
  std::mutex paid_mutex_;
  int paid_ = 0;
};

void bank(const Input& input) {
  Bank b;
  on_threads(input, [&](std::uint8_t w) {
    if (w == 255)
      b.interest(1);
    else if (w == 254)
      b.empty(1);
    else if (w == 253)
      b.give(0, 2), b.audit();
    else if (w == 252)
      b.swap(2, 0);
    else if (w % 4 == 0)
      b.look(w % 3);
    else
      b.transfer(w % 3, (w / 3u) % 3);
  });
  check(b.balanced());
}

struct Program {
  const char* name;
  void (*run)(const Input& input);
};
constexpr Program kPrograms[] = {
    {"store", &store}, {"pool", &pool}, {"log", &log}, {"bank", &bank}};

}  // namespace

int main(int argc, char** argv) {
  Input input;
  for (int i = 2; i < argc; ++i) {
    input.emplace_back();
    for (char* at = argv[i]; *at; at += *at == ',')
      input.back().push_back(static_cast<std::uint8_t>(std::strtoul(at, &at, 10)));
  }
  for (const Program& p : kPrograms)
    if (argc > 1 && std::strcmp(argv[1], p.name) == 0) {
      p.run(input);
      return 0;
    }
  std::fprintf(stderr, "usage: jostle_bench_inputs store|pool|log|bank WORD,WORD... ...\n");
  return 2;
}

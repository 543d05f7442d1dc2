// Events go to those who have subscribed; the list of them is replaced, never changed, and who
// leaves waits until nobody is in its handler any more.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "benchmarks/cover/subject.h"

namespace {

struct Subscriber {
  std::atomic<int> got{0};
  int inside = 0;
  bool gone = false;
};

class Bus {
 public:
  void subscribe(const std::shared_ptr<Subscriber>& s) {
    const std::lock_guard lock(mutex_);
    auto next = std::make_shared<std::vector<std::shared_ptr<Subscriber>>>(*all_);
    next->push_back(s);
    all_ = next;
    ++changes_;
  }
  void leave(const std::shared_ptr<Subscriber>& s) {
    std::unique_lock lock(mutex_);
    auto next = std::make_shared<std::vector<std::shared_ptr<Subscriber>>>();
    for (const auto& other : *all_)
      if (other != s) next->push_back(other);
    all_ = next;
    ++changes_;
    s->gone = true;
    while (s->inside > 0) left_.wait(lock);
  }
  int publish(int event) {
    std::shared_ptr<const std::vector<std::shared_ptr<Subscriber>>> now;
    {
      const std::lock_guard lock(mutex_);
      now = all_;
    }
    int delivered = 0;
    for (const auto& s : *now) {
      {
        const std::lock_guard lock(mutex_);
        if (s->gone) continue;
        ++s->inside;
      }
      s->got.fetch_add(event);
      ++delivered;
      const std::lock_guard lock(mutex_);
      if (--s->inside == 0 && s->gone) left_.notify_all();
    }
    if (delivered == 0) lost_.fetch_add(1);
    return delivered;
  }
  int lost() const { return lost_.load(); }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  std::shared_ptr<const std::vector<std::shared_ptr<Subscriber>>> all_ =
      std::make_shared<std::vector<std::shared_ptr<Subscriber>>>();
  int changes_ = 0;
  std::atomic<int> lost_{0};
};

void bus() {
  Bus b;
  const auto first = std::make_shared<Subscriber>(), second = std::make_shared<Subscriber>();
  std::thread p([&] {
    b.publish(1);
    if (b.publish(2) == 0) b.publish(4);
  });
  std::thread s([&] {
    b.subscribe(first);
    b.publish(8);
    b.leave(first);
  });
  std::thread t([&] {
    b.subscribe(second);
    if (second->got.load() == 0) b.leave(second);
    b.lost();
  });
  p.join();
  s.join();
  t.join();
}

const jostle_bench::CoverSubject kSubject("event bus", &bus);

}  // namespace

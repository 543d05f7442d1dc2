// Two stages that hand over to each other: each has two workers that take turns with a lock, and
// whoever reports for a stage waits only until both of its workers have begun. A worker of the
// first stage is done when both of the second have begun, one of the second when the other side has
// looked. So what the first reports always comes after that look; but that follows from all locks
// together, whichever worker of a stage comes first.
#include <atomic>
#include <mutex>
#include <semaphore>

#include "benchmarks/cover/subject.h"

namespace {

// A thread that one starts and another waits for.
class Messenger {
 public:
  void send() {
    thread_ = std::thread([this] { message_.store(1); });
    sent_.release();
  }
  int await() {
    sent_.acquire();
    thread_.join();
    return message_.load();
  }

 private:
  std::thread thread_;
  std::atomic<int> message_{0};
  std::binary_semaphore sent_{0};
};

void relay() {
  std::mutex first, second;
  Messenger begun[2], seen[2], ready[2][2];
  std::atomic<int> report{0}, answer{0};
  std::thread workers[4];
  for (int i = 0; i < 2; ++i) {
    workers[i] = std::thread([&, i] {
      const std::lock_guard lock(first);
      begun[i].send();
      for (auto& from : ready) from[i].await();
    });
    workers[2 + i] = std::thread([&, i] {
      const std::lock_guard lock(second);
      for (Messenger& to : ready[i]) to.send();
      seen[i].await();
    });
  }
  std::thread reports([&] {
    for (Messenger& m : begun) m.await();
    report.store(1);
    for (int i : {0, 1}) workers[i].join();
    answer.load();
  });
  std::thread answers([&] {
    const int so_far = report.load();
    for (Messenger& m : seen) m.send();
    for (int i : {2, 3}) workers[i].join();
    answer.store(so_far + 1);
  });
  reports.join();
  answers.join();
}

const jostle_bench::CoverSubject kSubject("relay", &relay);

}  // namespace

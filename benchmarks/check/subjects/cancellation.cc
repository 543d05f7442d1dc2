// A token of cancellation: what is registered is called when it is cancelled, or at once if it was.
#include <atomic>
#include <mutex>
#include <vector>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Cancellation {
 public:
  void on_cancel(std::atomic<int>& calls) {
    if (cancelled_.load()) {
      calls.fetch_add(1);
      return;
    }
    std::unique_lock lock(mutex_);
    if (!kBroken && cancelled_.load()) {  // since the first look
      lock.unlock();
      calls.fetch_add(1);
      return;
    }
    registered_.push_back(&calls);
  }
  void cancel() {
    std::vector<std::atomic<int>*> all;
    {
      const std::lock_guard lock(mutex_);
      cancelled_.store(true);
      all.swap(registered_);
    }
    for (std::atomic<int>* calls : all) calls->fetch_add(1);
  }

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::vector<std::atomic<int>*> registered_;
};

template <bool kBroken, int kTail>
void test() {
  Cancellation<kBroken> token;
  std::atomic<int> calls[2] = {};
  Tally tally;
  together(
      [&] {
        token.on_cancel(calls[0]);
        tally.add_each(kTail);
      },
      [&] {
        token.on_cancel(calls[1]);
        tally.add_each(kTail);
      },
      [&] {
        token.cancel();
        tally.add_each(kTail);
      });
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
  JOSTLE_ASSERT(calls[0].load() == 1 && calls[1].load() == 1);
}

const Enlist enlist("cancellation", "cancelled between the look and the registration", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

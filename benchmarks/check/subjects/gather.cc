// A continuation that runs when the last of several results has come.
#include <atomic>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken>
class Gather {
 public:
  explicit Gather(int expected) : expected_(expected) {}

  // True for the one who has to go on.
  bool post(int result) {
    sum_.fetch_add(result);
    if (!kBroken) return received_.fetch_add(1) + 1 == expected_;
    received_.fetch_add(1);
    return received_.load() == expected_;  // true for all who came before they looked
  }
  int sum() const { return sum_.load(); }

 private:
  const int expected_;
  std::atomic<int> received_{0}, sum_{0};
};

template <bool kBroken, int kTail>
void test() {
  Gather<kBroken> gather(3);
  std::atomic<int> continued{0};
  Tally tally;
  auto post = [&] {
    if (gather.post(1)) {
      JOSTLE_ASSERT(gather.sum() == 3);
      JOSTLE_ASSERT(continued.fetch_add(1) == 0);
    }
    tally.add_each(kTail);
  };
  together(post, post, post);
  JOSTLE_ASSERT(tally.total() == 3 * kTail);
}

const Enlist enlist("gather", "two threads take themselves for the last", "assertion",
                    Lengths<16>(), [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench

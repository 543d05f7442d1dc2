// The scheduler with a backend that never switches: what is decided, not how it is carried out.
#include "sched/scheduler.h"

#include <gtest/gtest.h>

#include <vector>

#include "sched/model/model.h"

namespace jostle {
namespace {

// Stays with the thread that runs, and notes what it was offered.
class Stay final : public Strategy {
 public:
  ThreadId pick(const View& view) override {
    offered.push_back(view.enabled().count());
    return standard_choice(view);
  }
  std::vector<std::uint32_t> offered;
};

constexpr Backend kNoBackend = {
    [](Thread&, Thread&) { FAIL() << "nobody should be switched to"; },
    [](Thread&) { FAIL() << "the execution should not end"; },
    [](std::uint64_t, std::uint64_t*, std::size_t) -> std::size_t { return 0; },
    [](const Thread&, std::uint64_t, std::uint64_t*, std::size_t) -> std::size_t { return 0; },
    [](Address, StackFrame&) { return false; },
    [](Thread&, std::uint64_t, std::uint64_t&) -> std::uint64_t { return 0; },
    [](bool) {},
};

struct World {
  World() {
    scheduler.set_backend(&kNoBackend);
    scheduler.begin(Plan(), Profile(), strategy, nullptr);
    body = scheduler.add_thread(nullptr);
    other = scheduler.add_thread(body);
  }
  Scheduler scheduler;
  Stay strategy;
  Thread* body;
  Thread* other;
  alignas(8) char object[64] = {};
  Address at() const { return reinterpret_cast<Address>(object); }
};

TEST(Scheduler, OffersThoseThatCanGoOn) {
  World w;
  EXPECT_EQ(model::mutex_lock(w.scheduler, *w.body, w.at(), model::kNormal, 1), 0);
  EXPECT_EQ(w.strategy.offered, std::vector<std::uint32_t>({2}));
  // A thread whose lock is taken is not offered.
  w.scheduler.announce(*w.other, EventKind::mutex_lock, w.at(), 2);
  Object& m = *w.scheduler.objects().find(w.at(), ObjectKind::mutex);
  m.pending.add(w.other->id);
  w.scheduler.disable(*w.other, Wait::lock);
  model::control_point(w.scheduler, *w.body, 3);
  EXPECT_EQ(w.strategy.offered.size(), 1u);
  EXPECT_EQ(model::mutex_unlock(w.scheduler, *w.body, w.at(), model::kNormal, 4), 0);
  EXPECT_TRUE(w.scheduler.enabled(*w.other));
}

TEST(Scheduler, TwoInOneProcess) {
  World a, b;
  EXPECT_EQ(model::mutex_lock(a.scheduler, *a.body, a.at(), model::kErrorCheck, 1), 0);
  // The other world knows nothing of it.
  EXPECT_EQ(model::mutex_trylock(b.scheduler, *b.body, a.at(), model::kErrorCheck, 1), 0);
  EXPECT_EQ(model::mutex_lock(a.scheduler, *a.body, a.at(), model::kErrorCheck, 2), EDEADLK);
  EXPECT_EQ(model::mutex_unlock(a.scheduler, *a.body, a.at(), model::kErrorCheck, 3), 0);
  EXPECT_EQ(model::mutex_unlock(a.scheduler, *a.body, a.at(), model::kErrorCheck, 4), EPERM);
  EXPECT_EQ(model::mutex_unlock(b.scheduler, *b.body, a.at(), model::kErrorCheck, 5), 0);
}

TEST(Scheduler, ObjectsOfOneCellAreApart) {
  World w;
  EXPECT_EQ(model::spin_lock(w.scheduler, *w.body, w.at(), 1), 0);
  EXPECT_EQ(model::spin_trylock(w.scheduler, *w.body, w.at() + 4, 2), 0);
  EXPECT_EQ(model::spin_trylock(w.scheduler, *w.body, w.at(), 3), EBUSY);
  EXPECT_EQ(model::spin_unlock(w.scheduler, *w.body, w.at() + 4, 4), 0);
  EXPECT_EQ(model::spin_trylock(w.scheduler, *w.body, w.at() + 4, 5), 0);
}

TEST(Scheduler, AnExecutionStartsWithoutObjects) {
  World w;
  EXPECT_EQ(model::mutex_lock(w.scheduler, *w.body, w.at(), model::kNormal, 1), 0);
  w.scheduler.begin(Plan(), Profile(), w.strategy, nullptr);
  Thread* body = w.scheduler.add_thread(nullptr);
  EXPECT_EQ(model::mutex_trylock(w.scheduler, *body, w.at(), model::kNormal, 2), 0);
}

TEST(Scheduler, YieldingThreadIsNotOffered) {
  World w;
  w.scheduler.begin(Plan(), Profile(), w.strategy, nullptr);
  Thread* body = w.scheduler.add_thread(nullptr);
  model::yield(w.scheduler, *body, 1);  // alone, it goes on
  EXPECT_TRUE(w.strategy.offered.empty());
}

TEST(Scheduler, SameOrderSameSignature) {
  std::uint64_t signature[2];
  for (std::uint64_t& s : signature) {
    World w;
    model::control_point(w.scheduler, *w.body, 10);
    model::mutex_lock(w.scheduler, *w.body, w.at(), model::kNormal, 20);
    s = w.scheduler.signature();
  }
  EXPECT_EQ(signature[0], signature[1]);
}

TEST(Scheduler, VirtualTimeOnlyGoesForward) {
  World w;
  std::uint64_t last = w.scheduler.now(*w.body);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t now = w.scheduler.read_clock(*w.body);
    EXPECT_GT(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace jostle

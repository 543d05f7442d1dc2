// The heap under many executions.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

std::size_t resident_kilobytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  unsigned long size = 0, resident = 0;
  if (!f || std::fscanf(f, "%lu %lu", &size, &resident) != 2) resident = 0;
  if (f) std::fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

TEST(Memory, HeavyUse) {
  const auto r = jostle::run(
      [] {
        std::map<int, std::string> shared;
        std::mutex m;
        auto work = [&](int id) {
          std::vector<std::unique_ptr<std::string>> own;
          for (int i = 0; i < 40; ++i)
            own.push_back(std::make_unique<std::string>(static_cast<std::size_t>(i * 30), 'x'));
          for (int i = 0; i < 40; i += 2) own[static_cast<std::size_t>(i)].reset();
          std::lock_guard lock(m);
          for (int i = 0; i < 10; ++i) shared[id * 100 + i] = std::string(50, 'y');
        };
        std::thread a(work, 1), b(work, 2);
        work(0);
        a.join();
        b.join();
        JOSTLE_ASSERT(shared.size() == 30);
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Memory, EveryAllocator) {
  const auto r = jostle::run(
      [] {
        auto work = [] {
          char* p = static_cast<char*>(std::malloc(10));
          std::strcpy(p, "123456789");
          p = static_cast<char*>(std::realloc(p, 100'000));
          JOSTLE_ASSERT(std::strcmp(p, "123456789") == 0);
          p = static_cast<char*>(std::realloc(p, 5));
          JOSTLE_ASSERT(std::memcmp(p, "12345", 5) == 0);
          std::free(p);
          auto* c = static_cast<int*>(std::calloc(100, sizeof(int)));
          for (int i = 0; i < 100; ++i) JOSTLE_ASSERT(c[i] == 0);
          std::free(c);
          void* aligned = nullptr;
          JOSTLE_ASSERT(posix_memalign(&aligned, 4096, 100) == 0);
          JOSTLE_ASSERT(reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0);
          std::free(aligned);
          void* a = std::aligned_alloc(64, 128);
          JOSTLE_ASSERT(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
          std::free(a);
          struct alignas(128) Wide {
            char c[128];
          };
          auto w = std::make_unique<Wide>();
          JOSTLE_ASSERT(reinterpret_cast<std::uintptr_t>(w.get()) % 128 == 0);
          void* volatile gone = std::malloc(1);  // else the compiler knows better
          JOSTLE_ASSERT(std::realloc(gone, 0) == nullptr);
          std::free(nullptr);
          char* s = strdup("copied");
          JOSTLE_ASSERT(std::strcmp(s, "copied") == 0);
          std::free(s);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
      },
      quick(200));
  EXPECT_PASSES(r);
}

// Freed memory is kept for the length of an execution, but not without limit: once the limit is
// reached, more of the same costs nothing.
TEST(Memory, ABlockFreedAgainAndAgain) {
  auto body = [](int times) {
    return [times] {
      for (int i = 0; i < times; ++i) {
        void* p = std::malloc(1 << 20);
        std::memset(p, 1, 4096);
        std::free(p);
      }
    };
  };
  EXPECT_PASSES(jostle::run(body(300), quick(1)));
  const std::size_t before = resident_kilobytes();
  EXPECT_PASSES(jostle::run(body(1200), quick(1)));
  EXPECT_LT(resident_kilobytes(), before + (64u << 10));
}

// Memory from before the run freed inside it, and the other way round.
TEST(Memory, CrossesTheBorderOfTheRun) {
  std::vector<std::string> outside(100, std::string(100, 'o'));
  const auto r = jostle::run(
      [&] {
        outside.assign(50, std::string(200, 'i'));
        std::thread t([&] { outside.emplace_back(300, 't'); });
        t.join();
      },
      quick(500));
  EXPECT_PASSES(r);
  EXPECT_EQ(outside.size(), 51u);
  EXPECT_EQ(outside.back(), std::string(300, 't'));
}

// 200 000 executions of a small body; the first 1 000 may make pools grow.
TEST(Memory, DoesNotGrow) {
  auto body = [] {
    auto shared = std::make_shared<std::atomic<int>>(0);
    std::mutex m;
    std::thread t([shared, &m] {
      std::lock_guard lock(m);
      shared->fetch_add(1);
    });
    {
      std::lock_guard lock(m);
      shared->fetch_add(1);
    }
    t.join();
    JOSTLE_ASSERT(shared->load() == 2);
  };
  auto o = quick(1000);
  EXPECT_PASSES(jostle::run(body, o));
  const std::size_t before = resident_kilobytes();
  o.executions = on_kernel_threads() ? 2000 : 200'000;
  const auto r = jostle::run(body, o);
  EXPECT_PASSES(r);
  EXPECT_EQ(r.executions, o.executions);
  EXPECT_LT(resident_kilobytes(), before + (8u << 10));
}

// The same when executions fail: what an abandoned thread owned is lost, its stack is not.
TEST(Memory, GrowsOnlyByWhatFailedExecutionsLeak) {
  auto o = quick(200);
  o.keep_going = true;
  const std::size_t before = resident_kilobytes();
  const auto r = jostle::run(
      [] {
        std::thread t([] { jostle_point(); });
        JOSTLE_ASSERT(false);
        t.join();
      },
      o);
  EXPECT_FINDS(r, "assertion");
  EXPECT_LT(resident_kilobytes(), before + (64u << 10));
}

TEST(Memory, ManyRuns) {
  EXPECT_PASSES(jostle::run([] {}, quick(10)));
  const std::size_t before = resident_kilobytes();
  for (int i = 0; i < 100; ++i) {
    auto o = quick(5);
    o.name = "many";
    EXPECT_PASSES(jostle::run(
        [] {
          std::thread t([] {});
          t.join();
        },
        o));
  }
  EXPECT_LT(resident_kilobytes(), before + (16u << 10));
}

}  // namespace

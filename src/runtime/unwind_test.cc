#include "runtime/unwind.h"

#include <alloca.h>
#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace jostle {
namespace {

bool operator==(const CallFrame& a, const CallFrame& b) {
  return a.pc == b.pc && a.interrupted == b.interrupted && a.sp == b.sp && a.rbx == b.rbx &&
         a.rbp == b.rbp && a.r12 == b.r12 && a.r13 == b.r13 && a.r14 == b.r14 && a.r15 == b.r15;
}

// What libgcc says.
std::vector<CallFrame> reference() {
  std::vector<CallFrame> out;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* p) {
        int interrupted = 0;
        CallFrame f{};
        f.pc = _Unwind_GetIPInfo(context, &interrupted);
        f.interrupted = interrupted != 0;
        f.sp = _Unwind_GetCFA(context);
        if (f.pc != 0) {
          const auto of = [&](int n) -> std::uint64_t { return _Unwind_GetGR(context, n); };
          f.rbx = of(3), f.rbp = of(6);
          f.r12 = of(12), f.r13 = of(13), f.r14 = of(14), f.r15 = of(15);
        }
        static_cast<std::vector<CallFrame>*>(p)->push_back(f);
        return _URC_NO_REASON;
      },
      &out);
  return out;
}

int g_compared = 0;

// The innermost calls are those of the walkers themselves, and end where this function begins.
[[gnu::noinline]] void compare() {
  const Address here = reinterpret_cast<Address>(__builtin_frame_address(0)) + 16;
  std::vector<CallFrame> own;
  walk_frames([&](const CallFrame& f) {
    own.push_back(f);
    if (f.pc == 0) own.back() = {0, f.interrupted, f.sp, 0, 0, 0, 0, 0, 0};
    return true;
  });
  std::vector<CallFrame> theirs = reference();
  const auto outside = [&](const CallFrame& f) { return f.sp < here; };
  own.erase(own.begin(), std::find_if_not(own.begin(), own.end(), outside));
  theirs.erase(theirs.begin(), std::find_if_not(theirs.begin(), theirs.end(), outside));
  ASSERT_EQ(own.size(), theirs.size());
  ASSERT_GT(own.size(), 2u);
  for (std::size_t i = 0; i < own.size(); ++i)
    ASSERT_TRUE(own[i] == theirs[i])
        << "frame " << i << " of " << own.size() << std::hex << ", pc " << own[i].pc << " and "
        << theirs[i].pc << ", sp " << own[i].sp << " and " << theirs[i].sp;
  ++g_compared;
}

// Nothing here may be a tail call.
volatile int g_sink;

[[gnu::noinline]] int deep(int n) {
  if (n == 0)
    compare();
  else
    g_sink = deep(n - 1) + 1;
  return g_sink;
}

[[gnu::noinline]] int with_alloca(int n) {
  volatile char* p = static_cast<char*>(alloca(static_cast<std::size_t>(n)));
  p[0] = 1;
  compare();
  return p[0];
}

[[gnu::noinline]] int aligned(int n) {
  alignas(64) volatile char line[64] = {};
  line[n] = 1;
  compare();
  return line[n];
}

[[gnu::noinline]] int aligned_with_alloca(int n) {
  alignas(64) volatile char line[64] = {};
  volatile char* p = static_cast<char*>(alloca(static_cast<std::size_t>(n)));
  p[0] = line[0];
  compare();
  return p[0];
}

[[gnu::noinline]] long many_registers(long a, long b, long c, long d, long e, long f) {
  g_sink = deep(1);
  const long x = a * b + c, y = d * e + f, z = a ^ f;
  g_sink = deep(1);
  return x + y * z + a + b + c + d + e + f;
}

class Unwind : public ::testing::Test {
 protected:
  void SetUp() override { g_compared = 0; }
};

// The second time it is what was kept that is followed.
void twice(const std::function<void()>& f) {
  f();
  f();
}

TEST_F(Unwind, FunctionsOfManyShapes) {
  twice([] {
    g_sink = deep(0);
    g_sink = deep(30);
    g_sink = with_alloca(100);
    g_sink = aligned(3);
    g_sink = aligned_with_alloca(1000);
    g_sink = static_cast<int>(many_registers(1, 2, 3, 4, 5, 6));
  });
  EXPECT_EQ(g_compared, 14);
}

TEST_F(Unwind, ThroughTheLibrary) {
  twice([] {
    int numbers[] = {3, 1, 2};
    std::qsort(numbers, 3, sizeof *numbers, [](const void* a, const void* b) {
      compare();
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    std::thread([] { compare(); }).join();
    std::vector<int> v = {5, 4};
    std::for_each(v.begin(), v.end(), [](int) { compare(); });
  });
  EXPECT_GE(g_compared, 8);
}

TEST_F(Unwind, OutOfASignal) {
  twice([] {
    struct sigaction s = {}, before = {};
    s.sa_handler = [](int) { compare(); };
    ASSERT_EQ(sigaction(SIGUSR1, &s, &before), 0);
    std::raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
  });
  EXPECT_EQ(g_compared, 2);
}

TEST_F(Unwind, WhileAnExceptionIsHandled) {
  twice([] {
    struct Looks {
      ~Looks() { compare(); }
    };
    try {
      Looks looks;
      throw 1;
    } catch (int) {
      compare();
    }
  });
  EXPECT_EQ(g_compared, 4);
}

TEST_F(Unwind, EndsWhenAsked) {
  int n = 0;
  walk_frames([&](const CallFrame&) { return ++n < 2; });
  EXPECT_EQ(n, 2);
}

// Places share what is kept: others that come there must not be taken for them.
TEST_F(Unwind, FromSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong] {
      for (int i = 0; i < 2000; ++i) {
        std::vector<std::uint64_t> a, b;
        walk_frames([&](const CallFrame& f) { return a.push_back(f.pc), true; });
        for (const CallFrame& f : reference()) b.push_back(f.pc);
        while (a.size() > b.size()) a.erase(a.begin());
        while (b.size() > a.size()) b.erase(b.begin());
        const std::size_t skip = 2;  // the calls of the walkers
        wrong += !std::equal(a.begin() + skip, a.end(), b.begin() + skip);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace jostle

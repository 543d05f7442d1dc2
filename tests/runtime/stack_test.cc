// Stacks: deep ones, own sizes, and too deep ones.
#include <pthread.h>

#include <atomic>
#include <csetjmp>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

// Uses about `kilobytes` of stack, switching threads on the way down and up.
[[gnu::noinline]] int descend(int kilobytes) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(kilobytes);
  if (kilobytes % 512 == 0) jostle_point();
  const int below = kilobytes > 0 ? descend(kilobytes - 1) : 0;
  JOSTLE_ASSERT(frame[0] == static_cast<char>(kilobytes));
  return below + (frame[0] == static_cast<char>(kilobytes));
}

TEST(Stack, SomeMegabytesInEachThread) {
  const auto r = jostle::run(
      [] {
        auto work = [] { JOSTLE_ASSERT(descend(5 << 10) == (5 << 10) + 1); };
        std::thread a(work), b(work);
        work();
        a.join();
        b.join();
      },
      quick(20));
  EXPECT_PASSES(r);
}

TEST(Stack, SizeOfTheAttributes) {
  const auto r = jostle::run(
      [] {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        JOSTLE_ASSERT(pthread_attr_setstacksize(&attr, 48 << 20) == 0);
        pthread_t t;
        JOSTLE_ASSERT(pthread_create(
                          &t, &attr,
                          [](void*) -> void* {
                            descend(32 << 10);
                            return nullptr;
                          },
                          nullptr) == 0);
        pthread_attr_destroy(&attr);
        std::thread small([] { descend(4 << 10); });
        small.join();
        pthread_join(t, nullptr);
      },
      quick(10));
  EXPECT_PASSES(r);
}

// The caller's own stack may be small or large: the body does not use it.
TEST(Stack, OfTheBodyIsItsOwn) {
  const auto r = jostle::run([] { descend(6 << 10); }, quick(5));
  EXPECT_PASSES(r);
}

[[gnu::noinline]] int for_ever(int n) {
  volatile char frame[512];
  frame[n % 512] = static_cast<char>(n);  // all of it is needed
  return for_ever(n + 1) + frame[n % 512];
}

TEST(Stack, OverflowInAThreadIsACrash) {
  const auto r = jostle::run(
      [] {
        std::thread t([] { for_ever(0); });
        t.join();
      },
      quick(10));
  EXPECT_FINDS(r, "crash");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("stack overflow"), std::string::npos)
      << r.findings[0].message;
  EXPECT_EQ(r.findings[0].function, "for_ever") << r.report;
}

TEST(Stack, OverflowInTheBodyIsACrash) {
  const auto r = jostle::run([] { for_ever(0); }, quick(10));
  EXPECT_FINDS(r, "crash");
}

TEST(Stack, WorkGoesOnAfterAnOverflow) {
  const auto first = jostle::run([] { for_ever(0); }, quick(10));
  EXPECT_FINDS(first, "crash");
  const auto second = jostle::run([] { descend(4 << 10); }, quick(10));
  EXPECT_PASSES(second);
  const auto third = jostle::run([] { for_ever(0); }, quick(10));
  EXPECT_FINDS(third, "crash");
}

TEST(Jump, LongjmpWithinAThread) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          std::jmp_buf back;
          volatile int jumps = 0;
          if (setjmp(back) < 3) {
            jostle_point();
            jumps = jumps + 1;
            std::longjmp(back, jumps);
          }
          JOSTLE_ASSERT(jumps == 3);
          (void)id;
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

[[gnu::noinline]] void jump_from(std::jmp_buf& back, int depth) {
  volatile char frame[256];
  frame[0] = 1;
  jostle_point();
  if (depth == 0) std::longjmp(back, 1);
  jump_from(back, depth - 1);
  frame[0] = 2;
}

TEST(Jump, OutOfDeepFrames) {
  const auto r = jostle::run(
      [] {
        auto work = [] {
          for (int i = 0; i < 3; ++i) {
            std::jmp_buf back;
            if (setjmp(back) == 0) {
              jump_from(back, 20);
              JOSTLE_ASSERT(false);
            }
          }
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

}  // namespace

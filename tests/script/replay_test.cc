// What a script finds, other processes reproduce without it.
#include <gtest/gtest.h>

#include <jostle/script.hpp>
#include <mutex>
#include <thread>

using namespace jostle::scripting;

namespace {

struct Output {
  std::mutex mutex;
  int end = 0;
  char bytes[64] = {};
};

[[gnu::noinline]] int compress(int block) { return 4 + block % 3; }

[[gnu::noinline]] void write_block(Output& out, int block) {
  const int size = compress(block);
  JOSTLE_POINT(1);
  const int at = out.end;
  JOSTLE_POINT(2);
  for (int i = 0; i < size; ++i) out.bytes[at + i] = 'x';
  const std::lock_guard lock(out.mutex);
  out.end = at + size;
  JOSTLE_POINT(3);
}

void body() {
  Output out;
  std::thread threads[] = {std::thread([&] { write_block(out, 0); }),
                           std::thread([&] { write_block(out, 1); }),
                           std::thread([&] { write_block(out, 2); })};
  for (std::thread& t : threads) t.join();
  JOSTLE_ASSERT(out.end == 15);
}

TEST(Replay, AllOfASearch) {
  const jostle::Result r = jostle::script(body, [] { search_in_functions(3, {"write_block"}); },
                                          {.races = false, .minimize = false, .quiet = true});
  ASSERT_EQ(r.findings.size(), 1u) << r.report;
  EXPECT_TRUE(r.findings[0].confirmed) << r.report;
}

}  // namespace

#include "report/object_code.h"

#include <gtest/gtest.h>

#include "report/elf_image.h"
#include "report/frames.h"
#include "report/symbols.h"

// Outside namespace jostle: code in it does not count as the user's.
namespace object_code_test_user {

__attribute__((noinline)) std::uint64_t here() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
__attribute__((always_inline)) inline std::uint64_t innermost() {
  const std::uint64_t pc = here();
  asm volatile("" ::: "memory");
  return pc;
}
constexpr std::uint32_t kInnermost = __LINE__ - 4;
__attribute__((always_inline)) inline std::uint64_t middle() { return innermost(); }
constexpr std::uint32_t kMiddle = __LINE__ - 1;
__attribute__((noinline)) std::uint64_t outermost() {
  const std::uint64_t pc = middle();
  asm volatile("" ::: "memory");
  return pc;
}
constexpr std::uint32_t kOutermost = __LINE__ - 4;

}  // namespace object_code_test_user

namespace jostle::report {
namespace {

using namespace object_code_test_user;  // NOLINT

TEST(ObjectCode, InlinedCallsWithTheirLines) {
  ProcessCode code;
  const std::uint64_t call = outermost() - 1;
  std::uint64_t base = 0;
  ObjectCode* own = code.of(call, base);
  ASSERT_NE(own, nullptr);
  EXPECT_FALSE(own->has_more());
  std::vector<Frame> frames;
  own->frames(call - base, frames);
  ASSERT_EQ(frames.size(), 3u);
  const std::uint32_t lines[] = {kInnermost, kMiddle, kOutermost};
  const char* names[] = {"innermost", "middle", "outermost"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(frames[i].line, lines[i]) << i;
    EXPECT_EQ(base_name(frames[i].file), "object_code_test.cc") << i;
    EXPECT_EQ(short_function(frames[i].function),
              std::string("object_code_test_user::") + names[i]);
  }
  ObjectCode::Symbol s;
  ASSERT_TRUE(own->symbol(call - base, s));
  EXPECT_EQ(demangle(std::string(s.name).c_str()), "object_code_test_user::outermost()");
}

// What names a place in code without a name: the build, and how far into it.
TEST(ObjectCode, BuildId) {
  ProcessCode code;
  std::uint64_t base = 0;
  const ObjectCode* own = code.of(reinterpret_cast<std::uint64_t>(&here), base);
  ASSERT_NE(own, nullptr);
  const std::string id = own->build_id();
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(ObjectCode("/nowhere").build_id(), "");
}

TEST(ObjectCode, MissesAreQuiet) {
  ProcessCode code;
  std::uint64_t base = 0;
  EXPECT_EQ(code.of(0, base), nullptr);
  EXPECT_EQ(code.of(~0ull, base), nullptr);
  for (const char* path : {"/nowhere", "/proc/self/status"}) {
    ObjectCode none(path);
    std::vector<Frame> frames;
    none.frames(0x1000, frames);
    EXPECT_TRUE(frames.empty());
    ObjectCode::Symbol s;
    EXPECT_FALSE(none.symbol(0x1000, s));
  }
}

}  // namespace
}  // namespace jostle::report

#include "sched/touch.h"

namespace jostle {
namespace {

// The table is symmetric, and relates touches of one class only.
constexpr bool sound() {
  for (std::uint32_t a = 0; a < kTouches; ++a)
    for (std::uint32_t b = 0; b < kTouches; ++b) {
      const auto x = static_cast<Touch>(a), y = static_cast<Touch>(b);
      if (dependent(x, y) != dependent(y, x)) return false;
      if (dependent(x, y) && class_of(x) != class_of(y)) return false;
    }
  return true;
}
static_assert(sound());
static_assert(kTouches <= 32);

}  // namespace

std::string_view name_of(Touch t) {
  static constexpr std::string_view kNames[] = {
#define JOSTLE_TOUCH(name, cls, ...) #name,
#include "sched/touches.def"
#undef JOSTLE_TOUCH
  };
  return kNames[static_cast<std::uint32_t>(t)];
}

}  // namespace jostle

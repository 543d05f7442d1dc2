// What operations do to objects, and which of them depend on each other: see touches.def.
#pragma once

#include <string_view>

#include "base/types.h"

namespace jostle {

// (As wide as it is, so that accesses have no gaps: many are compared at once, as bytes.)
enum class Touch : std::uint32_t {
#define JOSTLE_TOUCH(name, cls, ...) name,
#include "sched/touches.def"
#undef JOSTLE_TOUCH
};

// Objects of different classes never depend on each other, even at one address.
enum class TouchClass : std::uint8_t {
  memory,
  lock,
  rwlock,
  semaphore,
  queue,
  barrier,
  thread,
  shared,
};

inline constexpr std::uint32_t kTouches = 0
#define JOSTLE_TOUCH(name, cls, ...) +1
#include "sched/touches.def"
#undef JOSTLE_TOUCH
    ;

inline constexpr TouchClass kTouchClass[] = {
#define JOSTLE_TOUCH(name, cls, ...) TouchClass::cls,
#include "sched/touches.def"
#undef JOSTLE_TOUCH
};

namespace touch_detail {
using enum Touch;
constexpr std::uint32_t mask(std::initializer_list<Touch> t) {
  std::uint32_t m = 0;
  for (const Touch x : t) m |= 1u << static_cast<std::uint32_t>(x);
  return m;
}
inline constexpr std::uint32_t kDepends[] = {
#define JOSTLE_TOUCH(name, cls, ...) mask({__VA_ARGS__}),
#include "sched/touches.def"
#undef JOSTLE_TOUCH
};
}  // namespace touch_detail

// The touches that `t` depends on, as a set of bits.
constexpr std::uint32_t depends_on(Touch t) {
  return touch_detail::kDepends[static_cast<std::uint32_t>(t)];
}
constexpr bool dependent(Touch a, Touch b) {
  return depends_on(a) >> static_cast<std::uint32_t>(b) & 1;
}
constexpr TouchClass class_of(Touch t) { return kTouchClass[static_cast<std::uint32_t>(t)]; }
std::string_view name_of(Touch t);

}  // namespace jostle

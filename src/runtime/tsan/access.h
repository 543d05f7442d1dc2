// The way of one plain memory access through Jostle.
#pragma once

#include "runtime/engine.h"
#include "runtime/self.h"

namespace jostle {

// Out of line: a site that is a scheduling point or recorded, or a thread that went on for so
// long that it may be spinning.
void access_point(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc);
void access_checked(Thread& t, Cell& c, Address a, std::uint32_t size, bool write,
                    std::uint64_t pc);
void access_range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc);

// Functions that the user has sealed: their threads are not preempted inside.
extern bool g_seals;
void enter_function(std::uint64_t pc);
void leave_function(std::uint64_t pc);

// Inlined into each hook: two loads and three compares when there is nothing new.
template <std::uint32_t kSize, bool kWrite>
[[gnu::always_inline]] inline void access(const void* p, std::uint64_t pc) {
  Thread* t = t_self;
  if (JOSTLE_UNLIKELY(t == nullptr)) return;
  const auto a = reinterpret_cast<Address>(p);
  Engine& e = *g_engine;
  if (JOSTLE_UNLIKELY(e.filter[Engine::filter_index(pc)] != 0) || JOSTLE_UNLIKELY(--t->fuel == 0))
    access_point(*t, a, kSize, kWrite, pc);
  if (kSize > 8 || JOSTLE_UNLIKELY((a & 7) + kSize > 8))
    return access_range(*t, a, kSize, kWrite, pc);
  Cell& c = *e.scheduler().shadow().cell(a);
  const auto mask = static_cast<std::uint8_t>(((1u << (kSize & 15)) - 1) << (a & 7));
  if (RaceDetector::known(*t, c, mask, kWrite)) return;
  access_checked(*t, c, a, kSize, kWrite, pc);
}

[[gnu::always_inline]] inline void access(const void* p, std::size_t size, bool write,
                                          std::uint64_t pc) {
  Thread* t = t_self;
  if (JOSTLE_UNLIKELY(t == nullptr) || size == 0) return;
  if (JOSTLE_UNLIKELY(g_engine->filter[Engine::filter_index(pc)] != 0))
    access_point(*t, reinterpret_cast<Address>(p), size, write, pc);
  access_range(*t, reinterpret_cast<Address>(p), size, write, pc);
}

}  // namespace jostle

// The way of one plain memory access through Jostle.
#pragma once

#include "runtime/attached.h"
#include "runtime/engine.h"
#include "runtime/self.h"

namespace jostle {

// All of these are called last, so that the hooks themselves need no stack frame.

// A site that is a scheduling point or recorded, or a thread that went on for so long that it may
// be spinning; then the access itself.
void access_slow(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc);
// The race detector has something to do.
template <std::uint32_t kSize, bool kWrite>
void access_checked(Thread& t, Cell& c, Address a, std::uint64_t pc);
void access_range(Thread& t, Address a, std::size_t size, bool write, std::uint64_t pc);

// On the thread's own stack, in what thread_state() hashes: the frames, not the thread-local
// storage above them.
bool in_own_frames(const Thread& t, Address a);

// By a controlled thread, in this execution, if it is one that asks.
bool was_written(const void* word);

// Some code of this process was compiled with the hooks.
extern bool g_instrumented;

// Somebody wants to know of functions: the user has sealed some, or a script watches.
extern bool g_functions;
void enter_function(std::uint64_t pc);
void leave_function(std::uint64_t pc);

// Of a thread that is not controlled.
inline void outside_access(const void* p, std::size_t size, bool write, std::uint64_t pc) {
  attached::event(write ? EventKind::write : EventKind::read, reinterpret_cast<Address>(p), pc,
                  static_cast<std::uint32_t>(size));
}

// Inlined into each hook: two loads and three compares when there is nothing new.
template <std::uint32_t kSize, bool kWrite>
[[gnu::always_inline]] inline void access(const void* p, std::uint64_t pc) {
  Thread* t = t_self;
  if (JOSTLE_UNLIKELY(t == nullptr)) return outside_access(p, kSize, kWrite, pc);
  const auto a = reinterpret_cast<Address>(p);
  Engine& e = *g_engine;
  // Fuel is used up alike whether somebody looks or not: where it ends is part of the schedule.
  const std::uint8_t flags = e.filter[Engine::filter_index(pc)];
  if (JOSTLE_UNLIKELY(--t->fuel == 0) || JOSTLE_UNLIKELY(flags != 0)) {
    if (flags == kSkipped && JOSTLE_LIKELY(t->fuel != 0)) return;
    return access_slow(*t, a, kSize, kWrite, pc);
  }
  if constexpr (kSize > 8) {
    access_range(*t, a, kSize, kWrite, pc);
  } else {
    if (JOSTLE_UNLIKELY((a & 7) + kSize > 8)) return access_range(*t, a, kSize, kWrite, pc);
    Cell* c = e.scheduler().shadow().quick_cell(a);
    if (JOSTLE_UNLIKELY(c == nullptr)) return access_range(*t, a, kSize, kWrite, pc);
    const std::uint8_t mask = RaceDetector::mask_of(a, kSize);
    if (!RaceDetector::known(*t, *c, mask, kWrite)) access_checked<kSize, kWrite>(*t, *c, a, pc);
  }
}

[[gnu::always_inline]] inline void access(const void* p, std::size_t size, bool write,
                                          std::uint64_t pc) {
  Thread* t = t_self;
  if (JOSTLE_UNLIKELY(t == nullptr)) return outside_access(p, size, write, pc);
  if (size == 0) return;
  const std::uint8_t flags = g_engine->filter[Engine::filter_index(pc)];
  if (JOSTLE_UNLIKELY(flags != 0))
    return flags == kSkipped ? void()
                             : access_slow(*t, reinterpret_cast<Address>(p), size, write, pc);
  access_range(*t, reinterpret_cast<Address>(p), size, write, pc);
}

}  // namespace jostle

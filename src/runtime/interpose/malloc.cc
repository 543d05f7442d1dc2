// The heap. Blocks come from the allocator that the program has without Jostle; what controlled
// threads free is kept until the end of the execution, so that a use after free meets memory that
// nobody else owns yet.
#include <cerrno>
#include <cstring>

#include "runtime/heap.h"
#include "runtime/interpose/interpose.h"
#include "runtime/own_heap.h"
#include "runtime/program_heap.h"
#include "runtime/tsan/access.h"

using namespace jostle;

namespace jostle {

#ifdef __SANITIZE_ADDRESS__  // its heap stays in charge: see JOSTLE_CAN_EXECUTE
void heap_release(void* block) { free(block); }
}  // namespace jostle
#else
void heap_release(void* block) { program_heap().free(block); }

namespace {

void allocated(Thread& t, void* block, std::size_t size, std::uint64_t pc) {
  if (!block) return;
  if (StepLog* log = t.scheduler->log(); JOSTLE_UNLIKELY(log != nullptr))
    log->allocated(t, at(block), size);
  if (JOSTLE_LIKELY(!t.scheduler->recording())) return;
  if (Event* e = t.scheduler->mark(t, EventKind::alloc, at(block), pc)) {
    e->value = size;
    e->size = static_cast<std::uint32_t>(size);
    e->flags |= kValueKnown;
  }
}

void check_block(Thread& t, void* block, std::uint64_t pc) {
  Engine& e = *g_engine;
  const auto is_block = program_heap().is_block;
  if (!is_block) return;
  e.look_at({block, pc});
  const bool good = is_block(block) && !in_own_frames(t, at(block));
  e.look_at({});
  if (JOSTLE_UNLIKELY(!good)) e.races().invalid_free(t, at(block), pc);
}

void release(Thread& t, void* block, std::uint64_t pc) {
  Engine& e = *g_engine;
  const ProgramHeap& heap = program_heap();
  if (!e.scheduler().settings().heap || !heap.usable_size) return heap.free(block);
  check_block(t, block, pc);
  if (e.races().is_freed(at(block))) e.races().double_free(t, at(block), pc);
  const std::size_t size = heap.usable_size(block);
  // To free a mutex that others may still use makes a difference, in a search that looks for all.
  const bool holds_objects =
      JOSTLE_UNLIKELY(t.scheduler->exact()) && t.scheduler->objects().any_in(at(block), size);
  if (holds_objects || (JOSTLE_UNLIKELY(e.filter[Engine::filter_index(pc)] & kPromoted) &&
                        (e.site_flags(pc) & kPromoted))) {
    t.scheduler->announce(t, EventKind::free, at(block), pc, static_cast<std::uint32_t>(size));
    t.scheduler->point(t);
    if (e.races().is_freed(at(block))) e.races().double_free(t, at(block), pc);
    t.scheduler->performed(t, nullptr);
  } else {
    t.scheduler->mark(t, EventKind::free, at(block), pc);
  }
  e.races().freed(t, at(block), size, pc);
  e.quarantine(block, size);
}

}  // namespace
}  // namespace jostle

// Three kinds of callers: the program under control, Jostle around a whole program, and everybody
// else, who gets what the C library has.

namespace {

enum class Caller { program, jostle, other };

Caller caller() {
  const Thread* t = t_self;
  if (JOSTLE_LIKELY(t != nullptr && !t->in_runtime)) return Caller::program;
  return own_heap::started() ? Caller::jostle : Caller::other;
}

void* zeroed(void* p, std::size_t n) { return p ? std::memset(p, 0, n) : p; }

}  // namespace

JOSTLE_EXPORT void* malloc(std::size_t size) noexcept {
  const Caller who = caller();
  if (JOSTLE_UNLIKELY(who == Caller::jostle)) return own_heap::allocate(size);
  void* p = program_heap().malloc(size);
  if (who == Caller::program) allocated(*t_self, p, size, JOSTLE_CALLER);
  return p;
}
JOSTLE_EXPORT void free(void* p) noexcept {
  if (!p) return;
  if (JOSTLE_UNLIKELY(own_heap::has(p))) return own_heap::release(p);
  if (Thread* t = self()) return release(*t, p, JOSTLE_CALLER);
  program_heap().free(p);
}
JOSTLE_EXPORT void* calloc(std::size_t n, std::size_t size) noexcept {
  const Caller who = caller();
  if (JOSTLE_UNLIKELY(who == Caller::jostle))
    return size != 0 && n > ~std::size_t{0} / size ? nullptr
                                                   : zeroed(own_heap::allocate(n * size), n * size);
  void* p = program_heap().calloc(n, size);
  if (who == Caller::program) allocated(*t_self, p, n * size, JOSTLE_CALLER);
  return p;
}
JOSTLE_EXPORT void* realloc(void* old, std::size_t size) noexcept {
  const Caller who = caller();
  const bool ours = old != nullptr && own_heap::has(old);
  if (JOSTLE_UNLIKELY(ours || (who == Caller::jostle && old == nullptr))) {
    void* p = size == 0 ? nullptr : malloc(size);
    if (p && old) {
      const std::size_t had = own_heap::size(old);
      std::memcpy(p, old, had < size ? had : size);
    }
    if (old && (p || size == 0)) own_heap::release(old);
    return p;
  }
  if (who != Caller::program || !program_heap().usable_size)
    return program_heap().realloc(old, size);
  Thread* t = t_self;
  if (old && size == 0) {
    release(*t, old, JOSTLE_CALLER);
    return nullptr;
  }
  if (old && t->scheduler->settings().heap) {
    check_block(*t, old, JOSTLE_CALLER);
    if (g_engine->races().is_freed(at(old)))
      g_engine->races().double_free(*t, at(old), JOSTLE_CALLER);
  }
  void* p = program_heap().malloc(size);
  if (!p) return nullptr;
  allocated(*t, p, size, JOSTLE_CALLER);
  if (old) {
    const std::size_t had = program_heap().usable_size(old);
    std::memcpy(p, old, had < size ? had : size);
    release(*t, old, JOSTLE_CALLER);
  }
  return p;
}
JOSTLE_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  const Caller who = caller();
  if (JOSTLE_UNLIKELY(who == Caller::jostle)) return own_heap::allocate(size, alignment);
  void* p = program_heap().memalign(alignment, size);
  if (who == Caller::program) allocated(*t_self, p, size, JOSTLE_CALLER);
  return p;
}
JOSTLE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  const Caller who = caller();
  if (JOSTLE_UNLIKELY(who == Caller::jostle)) return own_heap::allocate(size, alignment);
  void* p = program_heap().aligned_alloc(alignment, size);
  if (who == Caller::program) allocated(*t_self, p, size, JOSTLE_CALLER);
  return p;
}
JOSTLE_EXPORT int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1))) return EINVAL;
  const Caller who = caller();
  if (JOSTLE_UNLIKELY(who == Caller::jostle)) {
    void* p = own_heap::allocate(size, alignment);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
  }
  if (const int error = program_heap().posix_memalign(out, alignment, size)) return error;
  if (who == Caller::program) allocated(*t_self, *out, size, JOSTLE_CALLER);
  return 0;
}
#endif

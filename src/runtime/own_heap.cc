#include "runtime/own_heap.h"

#include <cstdint>

#include "base/mapped.h"

namespace jostle::own_heap {
namespace {

constexpr std::size_t kReserve = std::size_t{1} << 36;
constexpr int kClasses = 40;

// In front of each block.
struct Head {
  std::uint32_t size_class;
  std::uint32_t offset;  // from the start of the memory to the block
};
static_assert(sizeof(Head) == 8);

char* g_begin = nullptr;
char* g_next = nullptr;
void* g_free[kClasses] = {};
int g_lock = 0;

class Lock {
 public:
  Lock() {
    while (__atomic_exchange_n(&g_lock, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { __atomic_store_n(&g_lock, 0, __ATOMIC_RELEASE); }
};

std::uint32_t class_of(std::size_t bytes) {
  std::uint32_t c = 5;
  while ((std::size_t{1} << c) < bytes) ++c;
  return c;
}

Head& head(const void* block) {
  return *reinterpret_cast<Head*>(reinterpret_cast<std::uintptr_t>(block) - sizeof(Head));
}

}  // namespace

void start() {
  if (g_begin) return;
  g_next = static_cast<char*>(map_pages(kReserve));
  g_begin = g_next;
}

bool started() { return g_begin != nullptr; }

bool has(const void* block) {
  const auto* p = static_cast<const char*>(block);
  return g_begin != nullptr && p >= g_begin && p < g_begin + kReserve;
}

// Blocks of powers of two, never given back to the system: Jostle needs little, and lives briefly.
void* allocate(std::size_t size, std::size_t alignment) {
  if (alignment < 16) alignment = 16;
  if (size > (std::size_t{1} << 34)) return nullptr;
  const Lock lock;
  const std::uint32_t c = class_of(size + 16 + (alignment > 16 ? alignment : 0));
  char* memory = static_cast<char*>(g_free[c]);
  if (memory) {
    g_free[c] = *reinterpret_cast<void**>(memory);
  } else {
    if (g_next + (std::size_t{1} << c) > g_begin + kReserve) return nullptr;
    memory = g_next;
    g_next += std::size_t{1} << c;
  }
  auto at = reinterpret_cast<std::uintptr_t>(memory) + 16;
  at = (at + alignment - 1) & ~(alignment - 1);
  auto* block = reinterpret_cast<void*>(at);
  head(block) = {c, static_cast<std::uint32_t>(static_cast<char*>(block) - memory)};
  return block;
}

void release(void* block) {
  const Lock lock;
  const Head h = head(block);
  char* memory = static_cast<char*>(block) - h.offset;
  *reinterpret_cast<void**>(memory) = g_free[h.size_class];
  g_free[h.size_class] = memory;
}

std::size_t size(const void* block) {
  const Head& h = head(block);
  return (std::size_t{1} << h.size_class) - h.offset;
}

}  // namespace jostle::own_heap

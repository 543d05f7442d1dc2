#include "runtime/randomness.h"

#include <dlfcn.h>

#include <cstring>

#include "base/rng.h"
#include "runtime/self.h"

namespace jostle {
namespace {

std::uint64_t g_seed = 1;
Rng g_rng;

}  // namespace

void seed_randomness(std::uint64_t seed) { g_seed = seed; }
std::uint64_t random_seed() { return g_seed; }
void reset_randomness() { g_rng.seed(g_seed ^ 0x72616e646f6d6e73ull); }

void fill_randomly(void* to, std::size_t bytes) {
  auto* p = static_cast<char*>(to);
  while (bytes > 0) {
    const std::uint64_t r = g_rng.next();
    const std::size_t n = bytes < 8 ? bytes : 8;
    std::memcpy(p, &r, n);
    p += n;
    bytes -= n;
  }
}

}  // namespace jostle

// std::random_device::operator()() of libstdc++: asks the processor, which nobody can intercept.
JOSTLE_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (jostle::self()) {
    unsigned r;
    jostle::fill_randomly(&r, sizeof r);
    return r;
  }
  using Function = unsigned (*)(void*);
  static const auto real =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "_ZNSt13random_device9_M_getvalEv"));
  return real ? real(device) : 4;
}

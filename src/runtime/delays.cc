#include "runtime/delays.h"

#include <sys/syscall.h>

#include <ctime>

#include "base/rng.h"
#include "runtime/real.h"
#include "runtime/system_call.h"

namespace jostle {
namespace {

std::uint64_t g_seed = 0;

}  // namespace

namespace real {

bool delaying = false;

void delay() {
  static thread_local Rng rng{
      combine64(g_seed, static_cast<std::uint64_t>(system_call(SYS_gettid)))};
  const std::uint32_t k = rng.below(8);
  if (k == 0) {
    system_call(SYS_sched_yield);
  } else if (k == 1) {
    const timespec ts{0, static_cast<long>(rng.below(100'000))};
    system_call(SYS_nanosleep, reinterpret_cast<long>(&ts));
  }
}

}  // namespace real

void start_delays(std::uint64_t seed) {
  g_seed = seed;
  real::delaying = seed != 0;
}

}  // namespace jostle

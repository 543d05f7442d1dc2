// Random numbers from the system, for controlled threads: the same in every execution.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle {

// At the start of each execution.
void reset_randomness();
void seed_randomness(std::uint64_t seed);
std::uint64_t random_seed();
void fill_randomly(void* to, std::size_t bytes);

}  // namespace jostle

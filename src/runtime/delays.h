// The delay strategy: no control at all. The program's own threads, in real time, with random
// delays where it calls a synchronisation function: what people do today, as a baseline.
#pragma once

#include <cstdint>

namespace jostle {

// From now on calls of uncontrolled threads are delayed at random; 0 turns it off.
void start_delays(std::uint64_t seed);

}  // namespace jostle

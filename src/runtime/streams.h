// Streams of the C library (FILE) after an execution that ended in the middle.
#pragma once

#include "runtime/carrier.h"

namespace jostle {

// Unlocks what abandoned threads had locked: nobody could print or flush any more.
void release_streams(CarrierPool& pool);

}  // namespace jostle
